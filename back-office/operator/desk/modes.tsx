import type { Modes } from '../../../src/control/rpc/operator.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { ButtonLink, Facts, Section, When } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { useDesk } from './call.ts';
import { PATHS } from './paths.ts';

/** At the top of every page of the desk, so that no operator forgets an unusual mode. */
export function ModeBanners() {
  const { maintenance, membersReadOnly } = useDesk().modes;
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <>
      {maintenance !== null && (
        <p class="banner banner-warning">
          <a href={`${PATHS.health}#modes`}>{text.inMaintenance}</a>{' '}
          <bdi>{shownText(maintenance.reason)}</bdi>
        </p>
      )}
      {membersReadOnly !== null && (
        <p class="banner banner-warning">
          <a href={`${PATHS.health}#modes`}>{text.changesArePaused}</a>
        </p>
      )}
    </>
  );
}

/** The modes, and the buttons that lead to their questions. */
export function ModesSection() {
  const { maintenance, membersReadOnly } = useDesk().modes;
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Section id="modes" title={text.modes}>
      <Facts
        rows={[
          [text.newPayments, <ModeText mode={maintenance} off={text.taken} on={text.notTaken} />],
          maintenance && [text.why, <bdi>{shownText(maintenance.reason)}</bdi>],
          [
            text.membersChanges,
            <ModeText mode={membersReadOnly} off={text.allowed} on={text.paused} />,
          ],
        ]}
      />
      <p class="buttons">
        {maintenance === null ? (
          <ButtonLink to={`${PATHS.health}/begin-maintenance`}>{text.beginMaintenance}</ButtonLink>
        ) : (
          <ButtonLink to={`${PATHS.health}/end-maintenance`}>{text.endMaintenance}</ButtonLink>
        )}
        {membersReadOnly === null ? (
          <ButtonLink to={`${PATHS.health}/pause-changes`}>{text.pauseChanges}</ButtonLink>
        ) : (
          <ButtonLink to={`${PATHS.health}/resume-changes`}>{text.resumeChanges}</ButtonLink>
        )}
      </p>
    </Section>
  );
}

function ModeText(props: {
  readonly mode: Modes['membersReadOnly'];
  readonly off: string;
  readonly on: string;
}) {
  const { mode, off, on } = props;
  return (
    <span>
      {mode === null ? (
        off
      ) : (
        <>
          {on}, <When atMs={mode.startedAtMs} />, <bdi>{shownText(mode.by)}</bdi>
        </>
      )}
    </span>
  );
}
