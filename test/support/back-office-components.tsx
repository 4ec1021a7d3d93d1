import {
  Badge,
  ButtonLink,
  CopyText,
  Facts,
  Message,
  Section,
  Table,
} from '../../back-office/ui/elements.tsx';
import { Choice, SelectField, TextField } from '../../back-office/ui/fields.tsx';
import { Money, StatTile, StatTiles } from '../../back-office/ui/figures.tsx';
import { EmptyState, SideBySide, Timeline } from '../../back-office/ui/layout.tsx';
import { BackOfficePage, Navigation } from '../../back-office/ui/page.tsx';
import { LARGEST_MINOR, LONGEST_ID, LONGEST_NAME } from './back-office-fixtures.ts';

const LINKS = ['First', 'Second', 'Third'].map((text, index) => ({
  href: `#${text}`,
  text,
  isCurrent: index === 1,
}));

/** Every component of the dashboard and the desk in every state, for people who change them. */
export function ComponentsPage() {
  return (
    <BackOfficePage
      heading="Components"
      titleParts={['Kefel']}
      home="/"
      owner={LONGEST_NAME}
      isSandbox={true}
      bar={<Navigation class="segments" label="Environment" links={LINKS.slice(0, 2)} />}
      header={
        <>
          <Navigation class="nav" label="Pages" links={LINKS} />
          <p class="banner banner-bad">A banner</p>
        </>
      }
      head={{
        back: { to: '/', text: 'All components' },
        status: <Badge tone="good">Paid</Badge>,
        lead: 'What the reader came to see.',
        actions: (
          <>
            <ButtonLink to="/">Second action</ButtonLink>
            <button type="button" class="primary">
              First action
            </button>
          </>
        ),
      }}
      footer={<p>The footer</p>}
    >
      <Navigation class="tabs" label="Tabs" links={LINKS} />
      <Navigation class="chips" label="Chips" links={LINKS} />
      <Navigation class="parts" label="Parts" links={LINKS} />
      <SideBySide
        main={
          <>
            <Section id="figures" title="Figures">
              <StatTiles>
                <StatTile
                  label="You receive"
                  value={<Money minor={LARGEST_MINOR} currency="ETB" />}
                  hint="after commission and refunds"
                  isLead={true}
                />
                <StatTile label="Paid" value={<Money minor={LARGEST_MINOR} currency="ETB" />} />
                <StatTile label="Rate" value="98.5%" hint="197 of 200" />
              </StatTiles>
            </Section>
            <Table
              caption="Rows"
              columns={['Id', 'Status', { title: 'Amount', kind: 'figures' }]}
              rows={[1_050, LARGEST_MINOR].map((minor, index) => [
                <bdi>{index === 0 ? 'order-1' : LONGEST_ID}</bdi>,
                <Badge tone="wait">In progress</Badge>,
                <Money minor={minor} currency="ETB" />,
              ])}
              empty=""
            />
            <EmptyState title="No payments yet" action={<ButtonLink to="/">Create one</ButtonLink>}>
              What customers pay appears here.
            </EmptyState>
          </>
        }
        aside={
          <>
            <Section id="timeline" title="Timeline">
              <Timeline
                items={(['plain', 'wait', 'bad', 'good'] as const).map((tone) => ({
                  tone,
                  title: `It became ${tone}`,
                  details: LONGEST_NAME,
                  time: '27 Nov 2026, 00:43',
                }))}
              />
            </Section>
            <Section id="facts" title="Facts">
              <Facts
                rows={[
                  ['Name', <bdi>{LONGEST_NAME}</bdi>],
                  ['Id', <bdi>{LONGEST_ID}</bdi>],
                ]}
              />
            </Section>
          </>
        }
      />
      <p class="buttons">
        <button type="button" class="primary">
          First
        </button>
        <button type="button">Second</button>
        <button type="button" class="bad">
          Dangerous
        </button>
        <button type="button" class="plain">
          Plain
        </button>
        <button type="button" disabled>
          Disabled
        </button>
      </p>
      <p class="buttons">
        {(['good', 'bad', 'wait', 'plain'] as const).map((tone) => (
          <Badge tone={tone}>{tone}</Badge>
        ))}
      </p>
      {(['good', 'bad', 'warning'] as const).map((tone) => (
        <Message tone={tone}>
          A message that is {tone}, with <a href="/">a way to what it is about</a>
        </Message>
      ))}
      <form class="form card">
        <TextField id="text" label="Text" hint="A hint" value={LONGEST_NAME} />
        <TextField id="wrong" label="Wrong" value="x" error="What is wrong with it" />
        <TextField id="fixed" label="Fixed" value={LONGEST_ID} readonly={true} />
        <SelectField id="select" label="Select" options={[['1', LONGEST_NAME]]} selected="1" />
        <CopyText id="copied" label="To copy" value={LONGEST_ID} />
        <fieldset>
          <legend>Choices</legend>
          <Choice type="radio" name="radio" value="1" checked={true}>
            One
          </Choice>
          <Choice type="checkbox" name="box" value="2" disabled={true}>
            Disabled
          </Choice>
        </fieldset>
      </form>
    </BackOfficePage>
  );
}
