import type { ComponentChildren } from 'preact';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Navigation } from '../ui/page.tsx';
import { may, useCall } from './call.ts';
import { Frame, type FrameProps } from './frame.tsx';

/** The parts of *Developers*, with the ends of their paths. */
const PARTS = {
  keys: 'keys',
  webhooks: 'webhooks',
  events: 'webhooks/events',
  requests: 'requests',
} as const;

export type DeveloperPart = keyof typeof PARTS;

/**
 * A page for the merchant's developers, with links to the other parts. A payment leads other members
 * to its events, so they see such a page without the links.
 */
export function DeveloperFrame(
  props: Omit<FrameProps, 'active' | 'path'> & {
    readonly part: DeveloperPart;
    readonly children: ComponentChildren;
  },
) {
  const { part, children, ...frame } = props;
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).frame;
  const parts = Object.keys(PARTS) as readonly DeveloperPart[];
  return (
    <Frame {...frame} active="developers" path={PARTS[part]}>
      {may(call, 'develop') && (
        <Navigation
          class="parts"
          label={text.nav.developers}
          links={parts.map((one) => ({
            href: `/dashboard/${call.environment}/${PARTS[one]}`,
            text: text.developerParts[one],
            isCurrent: one === part,
          }))}
        />
      )}
      {children}
    </Frame>
  );
}
