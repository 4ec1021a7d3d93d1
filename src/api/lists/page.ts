/** One page of a list in the API. `nextCursor` is null on the last page. */
export function pageContent<Row, Item>(
  { rows, nextCursor }: { readonly rows: readonly Row[]; readonly nextCursor: string | null },
  contentOf: (row: Row) => Item,
) {
  return { data: rows.map(contentOf), hasMore: nextCursor !== null, nextCursor };
}
