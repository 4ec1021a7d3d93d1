import type { TestProject } from 'vitest/node';
import { PLANTED } from './planted.ts';

/**
 * Reads what workerd prints while tests run. An exception that leaves a Worker or an object fails the
 * run, unless a test planted it.
 */

const EXCEPTION = /^(?:uncaught )?exception\b|jsgInternalError/;

const EXPECTED: readonly string[] = [
  PLANTED,
  // Tests end objects in these two ways.
  'Application called abortAllDurableObjects()',
  'Application called abort() to reset Durable Object',
  // So a restored object restarts: src/engine/intent/payment-intent.ts, src/lists/book/merchant-book.ts.
  'outputGateBroken; jsg.Error: restore',
];

/**
 * An object that a test ended had an answer or a stream to write. The runtime says where it saw that,
 * unlike an exception of ours that begins so.
 */
const DISCONNECTED = /:\d+: disconnected: /;

function isExpected(message: string): boolean {
  return DISCONNECTED.test(message) || EXPECTED.some((expected) => message.includes(expected));
}

/** What the test runner and workerd say about themselves in every run. */
const ABOUT_THE_RUNNER = [
  'node:inspector',
  'node%3Ainspector',
  // test/workers sends such a header on purpose.
  'A header value for "idempotency-key" contains non-ASCII characters',
  'Using secrets defined in ',
  'Missing required secrets: ',
  'points to missing source files',
];

type Write = typeof process.stdout.write;

export default function watchRuntime({ vitest }: TestProject): () => void {
  const ends = [process.stdout, process.stderr].map((stream) => {
    const write: Write = stream.write.bind(stream);
    stream.write = ((text: string | Uint8Array, ...rest: []) => {
      const message = String(text);
      if (EXCEPTION.test(message)) {
        if (!isExpected(message)) {
          // The stack of this function would hide where the exception came from.
          const error = Object.assign(new Error(message), { stack: message });
          vitest.state.catchError(error, 'Exception that left a Worker or an object');
          process.exitCode = 1;
        }
        return true;
      }
      return ABOUT_THE_RUNNER.some((known) => message.includes(known)) || write(text, ...rest);
    }) as Write;
    return () => {
      stream.write = write;
    };
  });
  return () => {
    for (const end of ends) {
      end();
    }
  };
}
