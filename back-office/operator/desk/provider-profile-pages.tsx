import type { ProviderProfile } from '../../../src/control/rpc/operator.ts';
import type { FieldError } from '../../../src/kit/http/field-error.ts';
import { Problem } from '../../../src/kit/http/problem.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { ButtonLink, Message, Table, Untrusted } from '../../ui/elements.tsx';
import { Field } from '../../ui/fields.tsx';
import { type DeskCall, FORM_RULES, useDesk } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
import { useMethod } from './provider-files-page.tsx';
import { namedProfile } from './provider-profile-subject.ts';
import { RecordedAs } from './provider-upload-pages.tsx';
import { subjectPath } from './subjects.tsx';

/** GET …/profiles: how the files of a method may be laid out. */
export async function showProfilesPage(call: DeskCall): Promise<Response> {
  const profiles = await call.payments.operator.providerProfiles(call.params);
  return answerDesk(call, <ProfilesPage profiles={profiles} />);
}

function ProfilesPage({ profiles }: { readonly profiles: readonly ProviderProfile[] }) {
  const text = useTexts(DESK_TEXTS).pages;
  const own = text.providerProfile;
  const { path, name } = useMethod();
  return (
    <Frame
      active="providerFiles"
      title={own.title}
      head={{
        back: { to: path, text: name },
        lead: own.lead,
        actions: (
          <>
            <a class="button primary" href={`${path}/new-profile`}>
              {own.add}
            </a>
            <ButtonLink to={`${path}/import-profile`}>{own.import}</ButtonLink>
          </>
        ),
      }}
    >
      <Table
        caption={own.title}
        columns={[text.name, own.delimiter, own.dateFormat, text.toDo]}
        rows={profiles.map((profile) => {
          const at = `${path}/profiles/${encodeURIComponent(profile.name)}`;
          return [
            <Untrusted text={profile.name} />,
            own.values[profile.delimiter],
            <code>{profile.dateFormat}</code>,
            <span class="buttons">
              <ButtonLink to={at}>{own.change}</ButtonLink>
              <a class="button" href={`${at}/profile.json`} download>
                {own.export}
              </a>
              <ButtonLink to={`${at}/delete`}>{own.remove}</ButtonLink>
            </span>,
          ];
        })}
        empty={own.empty}
      />
    </Frame>
  );
}

/** GET …/profile.json: the document, as the command and the import take it. */
export async function exportProfile(call: DeskCall): Promise<Response> {
  const profile = await namedProfile(call);
  return new Response(`${JSON.stringify(profile, null, 2)}\n`, {
    headers: {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="profile-${call.params.method}.json"`,
      'cache-control': 'no-store',
    },
  });
}

/** GET …/import-profile */
export async function showImportPage(call: DeskCall): Promise<Response> {
  await call.payments.operator.providerProfiles(call.params);
  return answerDesk(call, <ImportPage typed="" errors={null} />);
}

/** POST …/import-profile: stores the pasted profile, else that of the file. */
export async function importFromDesk(call: DeskCall): Promise<Response> {
  const { payments, actor, params, form } = call;
  const typed = form.text('json') || (await textOf(call));
  try {
    await payments.operator.storeProviderProfile(actor, params, JSON.parse(typed));
    return redirectTo(subjectPath('provider_profile', params), { done: 'profile_stored' });
  } catch (error) {
    const isRefused = error instanceof Problem && error.validationErrors !== null;
    if (!(isRefused || error instanceof SyntaxError)) {
      throw error;
    }
    // Nothing is stored, so sending it again does no harm.
    const errors = isRefused ? (error.validationErrors ?? {}) : {};
    return answerDesk(call, <ImportPage typed={typed} errors={errors} />);
  }
}

/** The text of a file that is as short as a form. */
async function textOf({ file }: DeskCall): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of file?.bytes ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > FORM_RULES.bytesMax) {
      return '';
    }
  }
  return text;
}

function ImportPage(props: {
  readonly typed: string;
  /** Null before it was sent. */
  readonly errors: Readonly<Record<string, FieldError>> | null;
}) {
  const { typed, errors } = props;
  const { token } = useDesk();
  const text = useTexts(DESK_TEXTS).pages;
  const own = text.providerProfile;
  const { path } = useMethod();
  return (
    <Frame
      active="providerFiles"
      title={own.import}
      head={{ back: { to: `${path}/profiles`, text: own.title }, lead: own.importLead }}
    >
      {errors !== null && (
        <Message tone="bad">
          <p>{own.importWrong}</p>
          <ul>
            {Object.entries(errors).map(([field, problem]) => (
              <li>
                <code>{field}</code>: {problem}
              </li>
            ))}
          </ul>
        </Message>
      )}
      <form class="form" method="post" enctype="multipart/form-data" data-once="">
        <input type="hidden" name="csrf" value={token} />
        <Field id="json" label={own.json}>
          {(attributes) => (
            <textarea {...attributes} name="json" rows={10} spellcheck={false}>
              {typed}
            </textarea>
          )}
        </Field>
        <Field id="file" label={own.orFile}>
          {(attributes) => (
            <input type="file" name="file" accept="application/json,.json" {...attributes} />
          )}
        </Field>
        <RecordedAs />
        <div class="buttons">
          <button type="submit" class="primary">
            {own.import}
          </button>
          <ButtonLink to={`${path}/profiles`}>{text.cancel}</ButtonLink>
        </div>
      </form>
    </Frame>
  );
}
