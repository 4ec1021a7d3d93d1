import { type Account, type Bucket, now } from './account.ts';
import { ApiError, type Call, type Handlers, jsonOf } from './api.ts';
import type { Runtime } from './runtime.ts';

const R2 = '/accounts/{account}/r2/buckets';

interface NewBucket {
  readonly name: string;
  readonly locationHint?: string;
  readonly storageClass?: string;
}

/** Buckets of R2. Their objects are in workerd. */
export function r2Handlers(account: Account, runtime: Runtime): Handlers {
  const guarded =
    <Result>(handler: (call: Call) => Result) =>
    (call: Call): Result => {
      if (!account.hasR2) {
        throw new ApiError(10042, 'Please enable R2 through the Cloudflare Dashboard.', 403);
      }
      return handler(call);
    };
  const bucketsOf = ({ jurisdiction }: Call) =>
    account.buckets.filter((bucket) => bucket.jurisdiction === jurisdiction);
  const find = (call: Call): Bucket => {
    const found = bucketsOf(call).find(({ name }) => name === call.params.bucket);
    if (found === undefined) {
      throw new ApiError(10006, 'The specified bucket does not exist.', 404);
    }
    return found;
  };
  return {
    [`GET ${R2}`]: guarded((call) => ({ buckets: bucketsOf(call) })),
    [`POST ${R2}`]: guarded((call) => {
      const given = jsonOf<NewBucket>(call);
      if (bucketsOf(call).some(({ name }) => name === given.name)) {
        throw new ApiError(
          10004,
          'The bucket you tried to create already exists, and you own it.',
          409,
        );
      }
      const bucket: Bucket = {
        name: given.name,
        creation_date: now(),
        location: given.locationHint ?? 'weur',
        storage_class: given.storageClass ?? 'Standard',
        jurisdiction: call.jurisdiction,
      };
      account.buckets.push(bucket);
      return bucket;
    }),
    [`GET ${R2}/{bucket}`]: guarded(find),
    [`DELETE ${R2}/{bucket}`]: guarded(async (call) => {
      const bucket = find(call);
      const { objects } = await (await runtime.bucket(bucket.name)).list({ limit: 1 });
      if (objects.length > 0) {
        throw new ApiError(10008, 'The bucket you tried to delete is not empty.', 409);
      }
      account.buckets.splice(account.buckets.indexOf(bucket), 1);
      return {};
    }),
  };
}
