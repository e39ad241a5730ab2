// A Go library whose goroutines are on a processor all the time: Go's runtime ends the process if a signal's handler runs on the stack of one.
package main

import "C"

//go:noinline
func turn(x, depth int) int {
	if depth == 0 {
		return x + 1
	}
	return turn(x+1, depth-1)
}

func init() {
	for i := 0; i < 3; i++ {
		go func() {
			for x := 0; ; {
				x = turn(x, 5)
			}
		}()
	}
}

func main() {}
