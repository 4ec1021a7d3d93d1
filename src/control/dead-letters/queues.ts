import { plainQueueName } from '../../kit/platform/queue-name.ts';

/** Queues with a dead letter queue, the most important messages first. */
export const MESSAGE_QUEUES = [
  'kefel-provider-reports',
  'kefel-webhooks',
  'kefel-webhook-retries',
] as const;
export type MessageQueue = (typeof MESSAGE_QUEUES)[number];

/** The binding that sends to a queue. */
export function producerOf(env: Env, queue: MessageQueue): Queue {
  const producers: Readonly<Record<MessageQueue, Queue>> = {
    'kefel-provider-reports': env.PROVIDER_REPORTS,
    'kefel-webhooks': env.WEBHOOKS,
    'kefel-webhook-retries': env.WEBHOOK_RETRIES,
  };
  return producers[queue];
}

/** The queue whose dead letters go to `deadLetterQueue`. Throws RangeError on another name. */
export function queueOfDead(deadLetterQueue: string): MessageQueue {
  const plainName = plainQueueName(deadLetterQueue);
  const queue = MESSAGE_QUEUES.find((name) => `${name}-dead` === plainName);
  if (queue === undefined) {
    throw new RangeError(`${deadLetterQueue} is not a dead letter queue`);
  }
  return queue;
}
