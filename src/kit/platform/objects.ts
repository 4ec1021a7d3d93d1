import type { Placement } from './placement.ts';

/** Makes the ids and stubs of all objects. */
export function objectsIn<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  { jurisdiction, locationHint }: Placement,
) {
  const objects = jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction);
  return {
    idFromName: (name: string) => objects.idFromName(name),
    idFromString: (id: string) => objects.idFromString(id),
    get: (id: DurableObjectId) =>
      locationHint === null ? objects.get(id) : objects.get(id, { locationHint }),
  };
}

/** OBJECT_JURISDICTION is not the one with which the gateway began: it would see empty objects. */
export class WrongJurisdiction extends Error {
  override readonly name = 'WrongJurisdiction';
}

/** What D1 stores for no jurisdiction. */
export const NO_JURISDICTION = 'none';

/** Compares what D1 remembers, null before the first merchant. Throws WrongJurisdiction. */
export function compareJurisdiction(stored: string | null, { jurisdiction }: Placement): void {
  const wanted = jurisdiction ?? NO_JURISDICTION;
  if (stored !== null && stored !== wanted) {
    throw new WrongJurisdiction(
      `OBJECT_JURISDICTION is ${wanted}, but this gateway's objects were made with ${stored}`,
    );
  }
}
