/** Names of bindings that lead into a provider's private network. */

export const NETWORK_NAME_MESSAGE =
  'must be the name of a binding: VPC_ and up to 40 capital letters, digits and underscores';

export function isNetworkName(name: unknown): name is string {
  return typeof name === 'string' && /^VPC_[A-Z0-9_]{1,40}$/.test(name);
}
