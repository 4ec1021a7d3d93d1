/** A case of the benchmark, for the table and for the measuring; the work is in kefel-work.ts. */
export interface BenchCase {
  readonly about: string;
  /** What the floor does instead. */
  readonly floor: string;
  /**
   * `requests`: clients send as fast as they are answered. `burst`: a number of units, until all
   * consumers rest. `delivery`: a number of prepared units, until the last webhook has arrived.
   * `start`: one request to a workerd that has just started.
   */
  readonly kind: 'requests' | 'burst' | 'delivery' | 'start';
  /** Whether it writes: then it is also measured on disk, and its consumers get time to finish. */
  readonly writes: boolean;
  /** For `burst` and `delivery`, a multiple of 200; for the quick form. */
  readonly units?: { readonly full: number; readonly quick: number };
  /**
   * workerd opens a new object's files for each request, keeps them for 10 s, and has some 20,000
   * file descriptors.
   */
  readonly clientsMax?: number;
  /** Whether each unit must become a row in D1. */
  readonly isProjected?: true;
}

const READ = 'an RPC that reads a row';
const MISS = 'an RPC that finds nothing';
const ECHO = 'an echo';

export const CASE_NAMES = [
  ...(['create', 'express', 'status', 'list', 'page'] as const),
  ...(['401', '400', '400-id', '400-64k', '404', '404-id', '409'] as const),
  ...(['paid', 'webhooks', 'projection', 'expiry', 'fresh'] as const),
];
export type CaseName = (typeof CASE_NAMES)[number];

export const CASES: Readonly<Record<CaseName, BenchCase>> = {
  create: {
    about: 'hosted create',
    floor: 'an RPC, a row and an alarm',
    kind: 'requests',
    writes: true,
  },
  express: {
    about: 'express, simulated, with its webhook',
    floor: 'the same, a queue message and an unsigned POST',
    kind: 'requests',
    writes: true,
  },
  status: { about: 'status', floor: READ, kind: 'requests', writes: false },
  list: { about: 'list of 20 payments', floor: '20 rows of D1', kind: 'requests', writes: false },
  page: { about: 'checkout page', floor: READ, kind: 'requests', writes: false },
  '401': { about: '401, invented key', floor: ECHO, kind: 'requests', writes: false },
  '400': { about: '400, small, without an id', floor: ECHO, kind: 'requests', writes: false },
  '400-id': {
    about: '400, one wrong field',
    floor: MISS,
    kind: 'requests',
    writes: false,
    clientsMax: 1,
  },
  '400-64k': { about: '400, 64 KiB', floor: ECHO, kind: 'requests', writes: false },
  '404': { about: '404, no such path', floor: ECHO, kind: 'requests', writes: false },
  '404-id': {
    about: '404, no such payment',
    floor: MISS,
    kind: 'requests',
    writes: false,
    clientsMax: 1,
  },
  '409': { about: '409, id taken', floor: READ, kind: 'requests', writes: false },
  paid: {
    about: 'approval until its webhook',
    floor: 'an RPC, a row, a queue message and an unsigned POST',
    kind: 'delivery',
    writes: true,
    units: { full: 300, quick: 100 },
  },
  webhooks: {
    about: 'webhooks sent again, 200 a call',
    floor: 'an RPC, a row, a queue message and an unsigned POST each',
    kind: 'delivery',
    writes: true,
    units: { full: 1_000, quick: 200 },
  },
  projection: {
    about: 'creates until all are in D1',
    floor: 'the same, a queue message and a row of D1',
    kind: 'burst',
    writes: true,
    units: { full: 2_000, quick: 400 },
    isProjected: true,
  },
  expiry: {
    about: 'expiries due in one second, with webhooks',
    floor: 'alarms that write a row and send an unsigned POST by a queue',
    kind: 'delivery',
    writes: true,
    units: { full: 2_000, quick: 200 },
  },
  fresh: {
    about: 'start of workerd and a first request, 401',
    floor: 'the same bindings without code',
    kind: 'start',
    writes: false,
  },
};
