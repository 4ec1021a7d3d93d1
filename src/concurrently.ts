/** As many connections as a Worker may have open at a time. */
const CONCURRENCY = 6;

/** Does `work` for every item, a few items at a time. The results come in the order of completion. */
export async function concurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    // The lanes share one iterator, so each item goes to the lane that is free first.
    for (const item of waiting) {
      results.push(await work(item));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return results;
}
