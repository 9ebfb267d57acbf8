import { FieldErrors } from '../../shared/field-errors.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { normalizeMailAddress } from '../../shared/mail-address.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { splitList } from '../../shared/text.ts';
import type { ModuleSlug } from '../modules/index.ts';
import { SETTINGS, type Settings, type SettingsService } from '../settings/index.ts';
import { MODULE_OF_MAIL_TYPE, type MailType } from './mail.ts';

type EmailSettingsGroup = Settings<'emails'>;

export interface MailTypeSettings {
  type: MailType;
  heading: string;
  subject: string;
  recipients: string;
  disable: 0 | 1;
}
export type MailTypeSettingsPatch = { [Name in keyof Omit<MailTypeSettings, 'type'>]?: MailTypeSettings[Name] | null };

export interface EmailsPreconditionInput {
  edited: MailTypeSettings;
  all: MailTypeSettings[];
}

const SUBJECT_TOKENS = ['site', 'count', 'status'];
const SUBJECT_TOKENS_OF_TYPE: Partial<Record<MailType, readonly string[]>> = { report: ['site', 'period', 'count'] };

const subjectTokensOf = (type: MailType): readonly string[] => SUBJECT_TOKENS_OF_TYPE[type] ?? SUBJECT_TOKENS;

export const unknownSubjectTokens = (type: MailType, subject: string): string[] =>
  (subject.match(/\{\w+\}/g) ?? []).filter((token) => !subjectTokensOf(type).includes(token.slice(1, -1)));

export class EmailSettings {
  readonly #settings: SettingsService;
  readonly #isModuleActive: (slug: ModuleSlug) => Promise<boolean>;

  constructor(settings: SettingsService, isModuleActive: (slug: ModuleSlug) => Promise<boolean>) {
    this.#settings = settings;
    this.#isModuleActive = isModuleActive;
  }

  /**
   * `defaults` are the standard texts in the language of the mail. A text that an operator has changed has precedence.
   */
  current(
    type: MailType,
    defaults?: { heading: string; subject: string },
  ): { heading: string; subject: string; recipients: string[]; disabled: boolean } {
    const { heading, subject, recipients, disable } = this.#settings.current('emails')[type];
    const standard = SETTINGS.emails.fields[type].default;
    return {
      heading: defaults && heading === standard.heading ? defaults.heading : heading,
      subject: defaults && subject === standard.subject ? defaults.subject : subject,
      recipients: splitList(recipients),
      disabled: disable === 1,
    };
  }

  /** Returns the settings of each type. Omits `http_check` if HTTP checks are off, and types whose module is off. */
  async list(): Promise<MailTypeSettings[]> {
    const emails = await this.#settings.read('emails');
    return (await this.#listed(emails)).map((type) => mailTypeSettingsOf(emails, type));
  }

  async #listed(emails: EmailSettingsGroup): Promise<MailType[]> {
    const { check_http_response: areChecked } = await this.#settings.read('general');
    const types: MailType[] = [];
    for (const type of Object.keys(emails) as MailType[])
      if (type === 'http_check' ? areChecked === 1 : await this.#isOffered(type)) types.push(type);
    return types;
  }

  /** Throws `svc_mail_type_not_found`, `svc_module_not_available` and `InvalidError`. */
  async edit(
    type: string,
    patch: MailTypeSettingsPatch,
    actor: string,
    precondition?: Precondition<EmailsPreconditionInput>,
  ): Promise<MailTypeSettings> {
    const known = Object.keys(await this.#settings.read('emails')).find((each) => each === type) as
      | MailType
      | undefined;
    if (!known) throw new NotFoundError('svc_mail_type_not_found', 'There is no such mail type.');
    if (!(await this.#isOffered(known)))
      throw new NotFoundError('svc_module_not_available', 'The module of this mail type is not active.');
    const wanted = { [known]: checkedMailTypePatch(known, patch) };
    const types = precondition ? await this.#listed(await this.#settings.read('emails')) : [];
    const seen =
      precondition &&
      ((emails: EmailSettingsGroup) =>
        precondition({
          edited: mailTypeSettingsOf(emails, known),
          all: types.map((each) => mailTypeSettingsOf(emails, each)),
        }));
    return mailTypeSettingsOf(await this.#settings.edit('emails', wanted, actor, seen), known);
  }

  async #isOffered(type: MailType): Promise<boolean> {
    const module = MODULE_OF_MAIL_TYPE[type];
    return module === undefined || this.#isModuleActive(module);
  }
}

const mailTypeSettingsOf = (emails: EmailSettingsGroup, type: MailType): MailTypeSettings => ({
  type,
  ...emails[type],
});

function checkedMailTypePatch(type: MailType, patch: MailTypeSettingsPatch): MailTypeSettingsPatch {
  const { recipients, subject } = patch;
  const fields = new FieldErrors();
  fields.require(
    'subject',
    unknownSubjectTokens(type, subject ?? '').length === 0,
    `must contain no tokens other than ${subjectTokensOf(type)
      .map((token) => `{${token}}`)
      .join(', ')}`,
  );
  const addresses = splitList(recipients ?? '').map((text) => ({ text, address: normalizeMailAddress(text) }));
  fields.require(
    'recipients',
    addresses.every(({ address }) => address !== null),
    'must be e-mail addresses that are separated by commas',
  );
  fields.throwIfAny();
  const unique = [...new Set(addresses.map(({ address }) => address))];
  return recipients === undefined || recipients === null ? patch : { ...patch, recipients: unique.join(', ') };
}
