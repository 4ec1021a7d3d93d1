/**
 * Calls `work` with 0, 1, 2 …, `workers` at a time, until `isOver`. Resolves when all calls have
 * ended.
 */
export async function runWorkers(
  workers: number,
  isOver: (index: number) => boolean,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let nextIndex = 0;
  const worker = async (): Promise<void> => {
    while (!isOver(nextIndex)) {
      const index = nextIndex;
      nextIndex += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** Calls `work` for every item, a few at a time. */
export async function forEachOf<T>(
  items: readonly T[],
  workers: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  await runWorkers(
    workers,
    (index) => index >= items.length,
    async (index) => {
      const item = items[index];
      if (item !== undefined) {
        await work(item);
      }
    },
  );
}
