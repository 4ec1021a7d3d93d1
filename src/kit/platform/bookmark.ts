import { errorText } from './log.ts';

/** Cloudflare's bookmark of an earlier time of an object; null where the platform keeps none, as locally. */
export async function bookmarkOf(
  storage: DurableObjectStorage,
  atMs: number,
): Promise<string | null> {
  try {
    return await storage.getBookmarkForTime(atMs);
  } catch (error) {
    if (/point-in-time recovery/i.test(errorText(error))) {
      return null;
    }
    throw error;
  }
}
