-- What wrk asks for: mostly pages, some that wait, some that are long.
local paths = {"/page?rows=20", "/page?rows=5&wait=2", "/page?rows=20", "/page?rows=80", "/none"}
local at = 0

request = function()
    at = at % #paths + 1
    return wrk.format("GET", paths[at])
end

-- Its argument: milliseconds to wait before each request.
init = function(words)
    if words[1] then
        delay = function()
            return tonumber(words[1])
        end
    end
end
