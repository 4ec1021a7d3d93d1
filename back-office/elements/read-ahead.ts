/** Read one by one; `return` ends them early. */
export interface Pages<Page> {
  next(): Promise<IteratorResult<Page, void>>;
  return(): Promise<unknown>;
}

/** The pages, of which the first has been read. */
export async function readAhead<Page>(pages: Pages<Page>): Promise<Pages<Page>> {
  let ahead: IteratorResult<Page, void> | null = await pages.next();
  return {
    next: async () => {
      const next = ahead ?? (await pages.next());
      ahead = null;
      return next;
    },
    return: () => pages.return(),
  };
}
