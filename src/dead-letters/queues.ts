/** Queues whose messages can die, in the order of what is lost with them. */
export const MESSAGE_QUEUES = [
  'kefel-rail-starts',
  'kefel-webhooks',
  'kefel-webhook-retries',
  'kefel-projections',
] as const;
export type MessageQueue = (typeof MESSAGE_QUEUES)[number];

/** Where each queue sends. */
export function producerOf(env: Env, queue: MessageQueue): Queue {
  const producers: Readonly<Record<MessageQueue, Queue>> = {
    'kefel-rail-starts': env.RAIL_STARTS,
    'kefel-webhooks': env.WEBHOOKS,
    'kefel-webhook-retries': env.WEBHOOK_RETRIES,
    'kefel-projections': env.PROJECTIONS,
  };
  return producers[queue];
}

/** The queue that a dead letter queue takes up what is left of. Throws RangeError on another name. */
export function queueOfDead(deadLetterQueue: string): MessageQueue {
  const queue = MESSAGE_QUEUES.find((name) => `${name}-dead` === deadLetterQueue);
  if (queue === undefined) {
    throw new RangeError(`${deadLetterQueue} is no dead letter queue`);
  }
  return queue;
}
