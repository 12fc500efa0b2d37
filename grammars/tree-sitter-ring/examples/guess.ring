#!/usr/bin/env ring
# Guess the number: statements only, in the first of Ring's three styles.

load "stdlib.ring"

C_HIGHEST = 1_000

nSecret = random(C_HIGHEST) nTries = 0 lFound = false

see "Which number between 0 and " + C_HIGHEST + " do I think of?" + nl

while not lFound
	nTries++
	see "Your guess: " give cGuess
	if cGuess = "quit" or cGuess = :exit
		see "It was " + nSecret + nl
		bye
	ok
	nGuess = number(cGuess)
	switch true
	on nGuess < nSecret
		see "More" + nl
	on nGuess > nSecret
		see "Less" + nl
	other
		lFound = true
	off
	if nTries % 10 = 0 and
	   not lFound
		? "You have tried " + nTries +
		  " times"
	ok
end

? "Found, with " + nTries + " guesses."
