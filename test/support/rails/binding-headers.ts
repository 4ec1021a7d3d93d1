/** Between a test in Node and the Worker that holds its binding. */

/** In place of an answer, when the binding threw. */
export const FAILED_HEADER = 'x-binding-failed';
export const URL_HEADER = 'x-binding-url';
