/** Tests in workerd reach no host: each replaces `fetch`, and what is left over fails at once. */
globalThis.fetch = async (input) => {
  const { host } = new URL(input instanceof Request ? input.url : String(input));
  throw new TypeError(`no test reaches ${host}`);
};
