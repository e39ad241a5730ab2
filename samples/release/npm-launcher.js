#!/usr/bin/env node
'use strict';
// The command itself is in an optional dependency, one for each system: npm installs the one that fits.
const { spawnSync } = require('child_process');

const name = `@methodbeat/${process.platform}-${process.arch}`;
const file = process.platform === 'win32' ? 'methodbeat.exe' : 'methodbeat';
let path;
try {
  path = require.resolve(`${name}/bin/${file}`);
} catch {
  const known = Object.keys(require('./package.json').optionalDependencies);
  console.error(known.includes(name)
    ? `methodbeat: ${name} is not installed: install again without --omit=optional (or --no-optional)`
    : `methodbeat: there is no command for ${process.platform} on ${process.arch}; there is ${known.join(', ')}`);
  process.exit(1);
}
// Ctrl-C reaches both: the command decides how it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
const { status, signal, error } = spawnSync(path, process.argv.slice(2), { stdio: 'inherit' });
if (error) {
  console.error(`methodbeat: cannot start ${path}: ${error.message}`);
  process.exit(1);
}
if (signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
} else {
  process.exit(status);
}
