import { afterEach, beforeEach } from 'vitest';
import { checkLines, forgetLines, recordLine } from './expected-log.ts';

/**
 * A warning or an error that a test does not expect fails it. A test that expects one says so with
 * `expectLog`, or reads the log: `useGateway`, `watchRailAnswers` or a spy on `console`. Information
 * is not printed.
 */

console.info = () => undefined;
console.warn = (...values: unknown[]) => recordLine(values);
console.error = (...values: unknown[]) => recordLine(values);

beforeEach(forgetLines);
afterEach(checkLines);
