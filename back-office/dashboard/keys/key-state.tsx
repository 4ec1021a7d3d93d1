import { isRollable } from '../../../src/merchants/key-rules.ts';
import type { ApiKeyView } from '../../../src/merchants/keys.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Badge, When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';

/** Whether the key no longer works. */
export function isOver(key: ApiKeyView, nowMs: number): boolean {
  return key.revokedAtMs !== null || (key.expiresAtMs !== null && key.expiresAtMs <= nowMs);
}

/** The state of a key: active, expiring, expired or revoked, and when. */
export function KeyState(props: { readonly call: DashboardCall; readonly apiKey: ApiKeyView }) {
  const { call, apiKey } = props;
  const text = DASHBOARD_TEXTS[call.language].keys;
  const { revokedAtMs, expiresAtMs } = apiKey;
  if (isRollable(apiKey)) {
    return <Badge tone="good">{text.active}</Badge>;
  }
  const [tone, word] =
    revokedAtMs !== null
      ? (['plain', text.revoked] as const)
      : isOver(apiKey, call.nowMs)
        ? (['plain', text.expired] as const)
        : (['wait', text.ends] as const);
  return (
    <span class="beside">
      <Badge tone={tone}>{word}</Badge>{' '}
      <span class="small">
        <When call={call} atMs={revokedAtMs ?? expiresAtMs ?? 0} />
      </span>
    </span>
  );
}
