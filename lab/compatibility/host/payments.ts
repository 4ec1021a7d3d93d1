import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';
import * as newBundle from 'bundle-new';
import * as oldBundle from 'bundle-old';
import { type HostEnv, handlerOf, instanceOf, type Part, RECORDED_PATH } from './choose.ts';
import { recordedCrossings, recordMessage } from './record.ts';

/**
 * A payments Worker that has two versions of itself. `VERSIONS` says which one answers requests,
 * consumes queues, and is each kind of object, as in the middle of a gradual deployment.
 */

const BUNDLES = { old: oldBundle, new: newBundle };

type AnyFunction = (...args: readonly unknown[]) => unknown;
type Bindings = Readonly<Record<string, unknown>>;

/** The bindings to objects, with the part behind each and the name of its class. */
const OBJECTS: Readonly<Record<string, readonly [Part, className: string]>> = {
  PAYMENT_INTENT: ['intent', 'PaymentIntent'],
  MERCHANT_BOOK: ['book', 'MerchantBook'],
  MERCHANT_REGISTER: ['register', 'MerchantRegister'],
  RECEIPT_INDEX: ['register', 'ReceiptIndex'],
  OPERATOR_ALERTS: ['alerts', 'OperatorAlerts'],
  PROVIDER_FILES: ['alerts', 'ProviderFiles'],
};

const QUEUES = ['WEBHOOKS', 'WEBHOOK_RETRIES', 'PROVIDER_REPORTS'];

const known = new Map<Part, Bindings>();

/** The bindings of a part, which record what it sends and the answers. */
function bindingsOf(part: Part, env: Bindings): Bindings {
  const bindings = known.get(part) ?? recordingBindings(part, env);
  known.set(part, bindings);
  return bindings;
}

function recordingBindings(part: Part, env: Bindings): Bindings {
  const objects = Object.entries(OBJECTS).map(([binding, [to, className]]) => {
    const namespace = env[binding] as DurableObjectNamespace;
    return [binding, recordingNamespace(part, to, className, namespace)] as const;
  });
  const queues = QUEUES.map((binding) => {
    const queue = env[binding] as Queue;
    const send: Queue['send'] = (message, options) => {
      recordMessage(part, 'consumer', `message of ${binding}`, message);
      return queue.send(message, options);
    };
    return [binding, replacing(queue, { send })] as const;
  });
  return { ...env, ...Object.fromEntries([...objects, ...queues]) };
}

/** The same, with other methods. */
function replacing<Target extends object>(target: Target, methods: object): Target {
  return new Proxy(target, {
    get(_target, name) {
      const value: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof value === 'function' && !(name in methods) ? value.bind(target) : value;
    },
  });
}

function recordingNamespace(
  from: Part,
  to: Part,
  className: string,
  namespace: DurableObjectNamespace,
): DurableObjectNamespace {
  const get: DurableObjectNamespace['get'] = (id, options) => {
    const stub = namespace.get(id, options);
    const call = (name: string, args: readonly unknown[]) =>
      Reflect.apply(Reflect.get(stub, name) as AnyFunction, stub, args);
    return new Proxy(stub, {
      get:
        (_stub, name) =>
        async (...args: readonly unknown[]) => {
          // The name of a book's question is the kind of the message.
          const question = name === 'ask' ? ` ${args[0]}` : '';
          const method = `${className}.${String(name)}${question}`;
          recordMessage(from, to, `${method} request`, args);
          const answer = await call(String(name), args);
          recordMessage(to, from, `${method} answer`, answer);
          return answer;
        },
    });
  };
  return replacing(namespace, { get });
}

interface ControlledEnv extends HostEnv {
  readonly [binding: string]: unknown;
}

/** The class of a part, of which each object is one of the part's version. */
function objectClass(part: Part, className: string) {
  return new Proxy(class extends DurableObject<ControlledEnv> {}, {
    construct: (_class, [ctx, env]: [DurableObjectState, ControlledEnv]) =>
      instanceOf(BUNDLES, env.VERSIONS[part], className, ctx, bindingsOf(part, env)) as object,
  });
}

export const PaymentIntent = objectClass('intent', 'PaymentIntent');
export const MerchantBook = objectClass('book', 'MerchantBook');
export const MerchantRegister = objectClass('register', 'MerchantRegister');
export const ReceiptIndex = objectClass('register', 'ReceiptIndex');
export const OperatorAlerts = objectClass('alerts', 'OperatorAlerts');
export const ProviderFiles = objectClass('alerts', 'ProviderFiles');

export const Payments = new Proxy(class extends WorkerEntrypoint<ControlledEnv> {}, {
  construct: (_class, [ctx, env]: [ExecutionContext, ControlledEnv]) =>
    instanceOf(BUNDLES, env.VERSIONS.worker, 'Payments', ctx, bindingsOf('worker', env)) as object,
});

export default {
  fetch(request: Request, env: ControlledEnv, ctx: ExecutionContext) {
    if (new URL(request.url).pathname === RECORDED_PATH) {
      return Response.json(recordedCrossings());
    }
    const fetch = handlerOf(BUNDLES, env.VERSIONS.worker, 'fetch');
    return fetch(request, bindingsOf('worker', env), ctx);
  },
  queue(batch: MessageBatch, env: ControlledEnv, ctx: ExecutionContext) {
    const consume = handlerOf(BUNDLES, env.VERSIONS.consumer, 'queue');
    return consume(batch, bindingsOf('consumer', env), ctx);
  },
  scheduled(controller: ScheduledController, env: ControlledEnv, ctx: ExecutionContext) {
    const run = handlerOf(BUNDLES, env.VERSIONS.worker, 'scheduled');
    return run(controller, bindingsOf('worker', env), ctx);
  },
};
