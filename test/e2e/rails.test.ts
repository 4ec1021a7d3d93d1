import { afterAll, beforeAll } from 'vitest';
import './rails/timeouts.ts';
import './rails/callbacks.ts';
import './rails/customers.ts';
import { rails } from './rails/scene.ts';

/**
 * Production payments through stand-ins for the six rails. All parts share a gateway and wait in
 * parallel; those that wait longest come first.
 */

beforeAll(() => rails.start());

afterAll(() => rails.close());
