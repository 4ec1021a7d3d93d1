import { type FloorSide, idOf, type KefelSide } from './sides.ts';
import {
  completing,
  expectAnswer,
  listing,
  prepareMany,
  reading,
  requests,
  storm,
  type Work,
} from './work.ts';

/** A case of the benchmark: what it sends to Kefel, and what is the least of the platform it needs. */
export interface BenchCase {
  readonly about: string;
  /**
   * `requests`: clients send as fast as they are answered. `burst`: a number of units, until all
   * consumers rest. `delivery`: a number of prepared units, until the last webhook has arrived.
   */
  readonly kind: 'requests' | 'burst' | 'delivery';
  /** Whether it writes: then it is also measured on disk, and its consumers get time to finish. */
  readonly writes?: true;
  /** For `burst` and `delivery`, a multiple of 200; for the quick form. */
  readonly units?: { readonly full: number; readonly quick: number };
  /**
   * workerd opens a new object's files for each request, keeps them for 10 s, and has some 20,000
   * file descriptors.
   */
  readonly clientsMax?: number;
  /** Whether each unit must become a row in the merchant's book, or in the floor's D1. */
  readonly isProjected?: true;
  readonly kefel: (kefel: KefelSide, units: number) => Work | Promise<Work>;
  readonly floor: (floor: FloorSide, units: number) => Work | Promise<Work>;
}

const ECHO = (floor: FloorSide) => requests(200, () => floor.post('echo'));
const MISS = (floor: FloorSide) => requests(200, (index) => floor.get(`is-empty/${idOf(index)}`));
const READ = (floor: FloorSide) =>
  reading(
    200,
    (index) => floor.written(index),
    (id) => floor.get(`read/${id}`),
  );
const WRITE_AND_PROJECT = (floor: FloorSide) => (index: number) =>
  floor.post(`write-and-project/${idOf(index)}`);

/** What one call for missed events sends at most (docs/lists.md#catching-up). */
const RESEND_BATCH = 200;

const LARGE_BODY_BYTES = 65_000;
const LARGE_ITEM = { name: 'Coffee', quantity: 0, type: 'PHYSICAL_PRODUCT', price: 150.5 };
const LARGE_ITEMS = Math.floor(LARGE_BODY_BYTES / (JSON.stringify(LARGE_ITEM).length + 1));
/** Every item has an error. */
const LARGE_BODY = JSON.stringify({ items: Array.from({ length: LARGE_ITEMS }, () => LARGE_ITEM) });

export const CASES = {
  create: {
    about: 'hosted create',
    kind: 'requests',
    writes: true,
    kefel: (kefel) => requests(200, (index) => kefel.hosted(index)),
    floor: (floor) => requests(200, (index) => floor.write(index)),
  },
  express: {
    about: 'express, simulated, with its webhook',
    kind: 'requests',
    writes: true,
    kefel: (kefel) => requests(200, (index) => kefel.express(index), 'untimed'),
    floor: (floor) => requests(200, (index) => floor.write(index, true), 'untimed'),
  },
  status: {
    about: 'status',
    kind: 'requests',
    kefel: (kefel) =>
      reading(
        200,
        (index) => kefel.created(index).then(() => idOf(index)),
        (id) => kefel.api.get(`intent/${id}`),
      ),
    floor: READ,
  },
  list: {
    about: 'list of 20 payments',
    kind: 'requests',
    kefel: (kefel) => listing((index) => kefel.hosted(index), kefel.api.get('intents')),
    floor: (floor) => listing(WRITE_AND_PROJECT(floor), floor.get('list')),
  },
  page: {
    about: 'checkout page',
    kind: 'requests',
    kefel: (kefel) =>
      reading(
        200,
        (index) => kefel.created(index),
        (url) => ({ method: 'GET', url }),
      ),
    floor: READ,
  },
  '401': {
    about: '401, invented key',
    kind: 'requests',
    kefel: (kefel) => requests(401, (index) => kefel.hosted(index, {}, kefel.stranger)),
    floor: ECHO,
  },
  '400': {
    about: '400, small, without an id',
    kind: 'requests',
    kefel: (kefel) => requests(400, () => kefel.api.postJson('intent', '{"amount":0}')),
    floor: ECHO,
  },
  '400-id': {
    about: '400, one wrong field',
    kind: 'requests',
    clientsMax: 1,
    kefel: (kefel) => requests(400, (index) => kefel.hosted(index, { currency: 'XYZ' })),
    floor: MISS,
  },
  '400-64k': {
    about: '400, 64 KiB',
    kind: 'requests',
    kefel: (kefel) => requests(400, () => kefel.api.postJson('intent', LARGE_BODY)),
    floor: (floor) => requests(200, () => floor.post('echo', LARGE_BODY)),
  },
  '404': {
    about: '404, no such path',
    kind: 'requests',
    kefel: (kefel) => requests(404, (index) => kefel.api.get(`nothing/${index}`)),
    floor: (floor) => requests(200, () => floor.get('echo')),
  },
  '404-id': {
    about: '404, no such payment',
    kind: 'requests',
    clientsMax: 1,
    kefel: (kefel) => requests(404, (index) => kefel.api.get(`intent/missing-${idOf(index)}`)),
    floor: MISS,
  },
  '409': {
    about: '409, id taken',
    kind: 'requests',
    kefel: (kefel) =>
      reading(
        409,
        (index) => kefel.created(index).then(() => kefel.hosted(index)),
        (create) => create,
      ),
    floor: READ,
  },
  paid: {
    about: 'approval until its webhook',
    kind: 'delivery',
    writes: true,
    units: { full: 300, quick: 100 },
    kefel: (kefel, units) =>
      completing(kefel.receiver, units, 303, (index) => kefel.connected(index)),
    floor: (floor, units) =>
      completing(floor.receiver, units, 200, async (index) => {
        const id = await floor.written(index);
        return { id, request: floor.change([id]) };
      }),
  },
  webhooks: {
    about: 'webhooks sent again, 200 a call',
    kind: 'delivery',
    writes: true,
    units: { full: 1_000, quick: 200 },
    kefel: missedWebhooks,
    floor: async (floor, units) => {
      const ids = [...(await prepareMany(units, (index) => floor.written(index)))];
      return batches(() => expectAnswer(floor.change(ids.splice(0, RESEND_BATCH)), 200));
    },
  },
  projection: {
    about: 'creates until all are in the book',
    kind: 'burst',
    writes: true,
    units: { full: 2_000, quick: 400 },
    isProjected: true,
    kefel: (kefel) => requests(200, (index) => kefel.hosted(index)),
    floor: (floor) => requests(200, WRITE_AND_PROJECT(floor)),
  },
  expiry: {
    about: 'expiries due in one second, with webhooks',
    kind: 'delivery',
    writes: true,
    units: { full: 2_000, quick: 200 },
    kefel: (kefel, units) =>
      storm(units, (index, dueAtMs) =>
        kefel.hosted(
          index,
          dueAtMs === null ? {} : { expireIn: Math.ceil((dueAtMs - Date.now()) / 1_000) },
        ),
      ),
    floor: (floor, units) =>
      storm(units, (index, dueAtMs) => {
        // Within the same second, as payments whose expiry counts whole seconds from their creation.
        const alarm = dueAtMs === null ? '' : `?alarmAt=${dueAtMs + (Date.now() % 1_000)}`;
        return floor.post(`write/${idOf(index)}${alarm}`);
      }),
  },
} as const satisfies Readonly<Record<string, BenchCase>>;

export type CaseName = keyof typeof CASES;
export const CASE_NAMES = Object.keys(CASES) as CaseName[];

function batches(send: Work['send']): Work {
  return { send, unitsPerSend: RESEND_BATCH, webhooks: 'timed', due: null };
}

/** Events whose first try failed wait, then one call for each 200 sends them again. */
async function missedWebhooks(kefel: KefelSide, units: number): Promise<Work> {
  const { api, receiver } = kefel;
  const since = new Date().toISOString();
  const arrivedBefore = receiver.arrived;
  receiver.isDown = true;
  await prepareMany(units, (index) => expectAnswer(kefel.express(index), 200));
  await receiver.untilArrived(arrivedBefore + units);
  receiver.isDown = false;
  let cursor: string | null = null;
  return batches(async () => {
    const body = cursor === null ? { since } : { since, cursor };
    const answer = await expectAnswer(api.postJson('events/resend', body), 200);
    const { content }: { content: { resent: number; nextCursor: string | null } } = JSON.parse(
      answer.body,
    );
    if (content.resent !== RESEND_BATCH) {
      throw new Error(`Of ${RESEND_BATCH} events, ${content.resent} were sent again`);
    }
    cursor = content.nextCursor;
  });
}
