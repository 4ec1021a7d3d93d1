/** The number of connections that a Worker may have open at a time. */
const CONCURRENCY = 6;

/** Runs `work` for all items, a few at a time. The results are in the order of completion. */
export async function concurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    // The workers share one iterator, so each item goes to the next free worker.
    for (const item of waiting) {
      results.push(await work(item));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
