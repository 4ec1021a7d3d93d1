export interface PageContent<Item> {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** One page of a list in the API. */
export function pageContent<Row, Item>(
  { rows, nextCursor }: { readonly rows: readonly Row[]; readonly nextCursor: string | null },
  contentOf: (row: Row) => Item,
): PageContent<Item> {
  return { data: rows.map(contentOf), hasMore: nextCursor !== null, nextCursor };
}
