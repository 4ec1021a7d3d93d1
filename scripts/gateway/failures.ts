import { stripVTControlCharacters } from 'node:util';

/**
 * What the output of a gateway that runs with `--verbose` says about our own errors: exceptions that
 * left a Worker or an object, and those that a part of the gateway caught and logged. The runtime's
 * own, such as a lost connection, have no stack.
 */
const FAILURE = /^uncaught exception;.*(?:\n\s+at .*)+|^.*"event":"\w+_failed".*/gm;

export function failuresIn(output: string): readonly string[] {
  return stripVTControlCharacters(output).match(FAILURE) ?? [];
}
