import {
  type Account,
  type Consumer,
  type ConsumerSettings,
  newId,
  now,
  type Queue,
} from './account.ts';
import { ApiError, type Call, type Handlers, jsonOf, page } from './api.ts';
import type { Runtime } from './runtime.ts';

const QUEUES = '/accounts/{account}/queues';
/** Four days, unless a queue is told otherwise. */
const DEFAULT_RETENTION_SECONDS = 345_600;

interface NewConsumer {
  readonly script_name: string;
  readonly dead_letter_queue?: string;
  readonly settings: ConsumerSettings;
}

/** Queues and their consumers. */
export function queueHandlers(account: Account, runtime: Runtime): Handlers {
  const find = ({ params }: Call): Queue => {
    const found = account.queues.find(({ queue_id }) => queue_id === params.queue);
    if (found === undefined) {
      throw new ApiError(11000, `Queue ${params.queue} not found`, 404);
    }
    return found;
  };
  const consumer = (call: Call, consumer_id: string): Consumer => {
    const given = jsonOf<NewConsumer>(call);
    const deadLetters = given.dead_letter_queue ?? null;
    if (deadLetters !== null && !account.queues.some((queue) => queue.queue_name === deadLetters)) {
      throw new ApiError(11000, `Queue ${deadLetters} not found`, 404);
    }
    if (!account.scripts.has(given.script_name)) {
      throw new ApiError(11001, `Worker ${given.script_name} not found`, 404);
    }
    return {
      consumer_id,
      script: given.script_name,
      dead_letter_queue: deadLetters,
      settings: given.settings,
    };
  };
  return {
    [`GET ${QUEUES}`]: ({ query }) => {
      const names = query.getAll('name');
      const queues = account.queues.filter(
        ({ queue_name }) => names.length === 0 || names.includes(queue_name),
      );
      return page(
        queues.map((queue) => shown(account, queue)),
        query,
      );
    },
    [`POST ${QUEUES}`]: (call) => {
      const { queue_name, settings, jurisdiction } =
        jsonOf<Pick<Queue, 'queue_name' | 'settings' | 'jurisdiction'>>(call);
      if (account.queues.some((queue) => queue.queue_name === queue_name)) {
        throw new ApiError(11009, `Queue name '${queue_name}' is already taken`);
      }
      const queue: Queue = {
        ...{ queue_id: newId(), queue_name, created_on: now(), consumers: [] },
        settings: { message_retention_period: DEFAULT_RETENTION_SECONDS, ...settings },
        ...(jurisdiction !== undefined && { jurisdiction }),
      };
      account.queues.push(queue);
      return shown(account, queue);
    },
    [`GET ${QUEUES}/{queue}`]: (call) => shown(account, find(call)),
    [`PATCH ${QUEUES}/{queue}`]: (call) => {
      const queue = find(call);
      Object.assign(queue.settings, jsonOf<Pick<Queue, 'settings'>>(call).settings);
      return shown(account, queue);
    },
    [`DELETE ${QUEUES}/{queue}`]: (call) => {
      const queue = find(call);
      if (queue.consumers.length > 0 || producersOf(account, queue).length > 0) {
        throw new ApiError(11005, `Queue ${queue.queue_name} is bound to a Worker`);
      }
      account.queues.splice(account.queues.indexOf(queue), 1);
      return null;
    },
    [`POST ${QUEUES}/{queue}/consumers`]: (call) => {
      const queue = find(call);
      if (queue.consumers.length > 0) {
        throw new ApiError(11004, `Queue ${queue.queue_name} already has a consumer`);
      }
      const added = consumer(call, newId());
      queue.consumers.push(added);
      runtime.changed();
      return shownConsumer(added);
    },
    [`PUT ${QUEUES}/{queue}/consumers/{consumer}`]: (call) => {
      const { consumers } = find(call);
      const changed = consumer(call, String(call.params.consumer));
      consumers.splice(indexOfConsumer(consumers, call), 1, changed);
      runtime.changed();
      return shownConsumer(changed);
    },
    [`DELETE ${QUEUES}/{queue}/consumers/{consumer}`]: (call) => {
      const { consumers } = find(call);
      consumers.splice(indexOfConsumer(consumers, call), 1);
      runtime.changed();
      return null;
    },
  };
}

function indexOfConsumer(consumers: readonly Consumer[], { params }: Call): number {
  const index = consumers.findIndex(({ consumer_id }) => consumer_id === params.consumer);
  if (index < 0) {
    throw new ApiError(11003, `Consumer ${params.consumer} not found`, 404);
  }
  return index;
}

/** The Workers whose current versions send to the queue. */
function producersOf(account: Account, { queue_name }: Queue) {
  return [...account.scripts.values()]
    .filter(({ versions }) =>
      versions
        .at(-1)
        ?.bindings.some((binding) => binding.type === 'queue' && binding.queue_name === queue_name),
    )
    .map(({ name }) => ({ type: 'worker', script: name }));
}

function shown(account: Account, queue: Queue) {
  const producers = producersOf(account, queue);
  return {
    ...queue,
    modified_on: queue.created_on,
    producers,
    producers_total_count: producers.length,
    consumers: queue.consumers.map(shownConsumer),
    consumers_total_count: queue.consumers.length,
  };
}

function shownConsumer(consumer: Consumer) {
  return { ...consumer, type: 'worker', service: consumer.script, environment: 'production' };
}
