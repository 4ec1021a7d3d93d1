/** The base URL and the key are the program's: one client for both environments. */
export default {
  kefel: {
    input: 'openapi.json',
    output: {
      target: 'generated/orval.ts',
      client: 'fetch',
      // Otherwise an id with a slash would be another path.
      urlEncodeParameters: true,
      override: { mutator: { path: 'orval-fetch.ts', name: 'kefelFetch' } },
    },
  },
};
