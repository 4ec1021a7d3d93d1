/** Bearer tokens, until they expire. */
export class Tokens {
  readonly #endsAtMs = new Map<string, number>();

  issue(token: string, lifetimeSeconds: number): string {
    this.#endsAtMs.set(`Bearer ${token}`, Date.now() + lifetimeSeconds * 1_000);
    return token;
  }

  /** Whether a call has one of them. */
  admit({ authorization = '' }: Readonly<Record<string, string>>): boolean {
    return (this.#endsAtMs.get(authorization) ?? 0) > Date.now();
  }

  /** Ends all of them, as a restart does. */
  clear(): void {
    this.#endsAtMs.clear();
  }
}
