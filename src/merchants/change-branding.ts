import { type Actor, auditEntry } from '../audit/log.ts';
import type { Branding } from '../domain/intent.ts';
import { runBatch } from '../platform/database.ts';
import { colorFrom, LOGOS_MAX, type Logo, type LogoRefusal, logoFrom } from './branding.ts';
import { countOtherLogos, merchantBranding } from './logo.ts';
import { addLogo, setBranding } from './provision.ts';

interface Context {
  readonly env: Pick<Env, 'DB'>;
  readonly nowMs: number;
}

/** A part of the branding; null removes it. */
export type BrandingChange =
  | { readonly color: string | null }
  | { readonly logo: Uint8Array<ArrayBuffer> | null };

export type BrandingRefusal = LogoRefusal | 'bad_color' | 'too_many';

/** Changes a merchant's color or logo, with an audit entry for a difference; else says why not. */
export async function changeBranding(
  context: Context,
  merchantId: string,
  actor: Actor,
  change: BrandingChange,
): Promise<BrandingRefusal | null> {
  if ('color' in change) {
    const color = change.color === null ? null : colorFrom(change.color);
    return color === null && change.color !== null
      ? 'bad_color'
      : store(context, merchantId, actor, { color }, null);
  }
  if (change.logo === null) {
    return store(context, merchantId, actor, { logoDigest: null }, null);
  }
  const result = await logoFrom(change.logo);
  if (result.type === 'refused') {
    return result.reason;
  }
  const { logo } = result;
  return (await countOtherLogos(context.env.DB, merchantId, logo.digest)) >= LOGOS_MAX
    ? 'too_many'
    : store(context, merchantId, actor, { logoDigest: logo.digest }, logo);
}

async function store(
  { env, nowMs }: Context,
  merchantId: string,
  actor: Actor,
  changes: Partial<Branding>,
  logo: Logo | null,
): Promise<null> {
  const known = await merchantBranding(env.DB, merchantId);
  const next = { ...known, ...changes };
  if (next.color !== known.color || next.logoDigest !== known.logoDigest) {
    await runBatch(env.DB, [
      ...(logo === null ? [] : [addLogo(merchantId, logo, nowMs)]),
      setBranding(merchantId, changes),
      auditEntry({
        actor,
        merchantId,
        environment: null,
        action: 'branding.changed',
        target: null,
        detail: changes,
        atMs: nowMs,
      }),
    ]);
  }
  return null;
}
