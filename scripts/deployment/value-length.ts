/** Cloudflare takes no longer variable or secret. */
const VALUE_BYTES_MAX = 5 * 1024;

/** A sentence for each value that Cloudflare would refuse. */
export function tooLong(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const bytes = Buffer.byteLength(value);
    return bytes <= VALUE_BYTES_MAX
      ? []
      : [`${name} has ${bytes} bytes, and Cloudflare takes ${VALUE_BYTES_MAX}`];
  });
}
