import { colorOf } from '../../shared/color.ts';
import { FieldErrors } from '../../shared/fields.ts';
import { cut, trimmedName } from '../../shared/text.ts';

/** What a cost can be for, and how it can be paid. */
const OPTION_KINDS = ['product_type', 'payment_method'] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];

export interface CostOption {
  kind: OptionKind;
  slug: string;
  title: string;
  /** `#rrggbb`; null for a way to pay. */
  color: string | null;
  /** `<set>:<name>`; null for a way to pay. */
  icon: string | null;
  /** It came with the service: its title stays, and it cannot be deleted. */
  builtIn: boolean;
}

export interface NewCostOption {
  title: string;
  /** Null for the default, as for the icon. */
  color?: string | null;
  icon?: string | null;
}

/** What is absent stays as it is. */
export type CostOptionPatch = Partial<NewCostOption>;

const DEFAULT_COLOR = '#34424d';
const DEFAULT_ICON = 'default:folder';
const MAX_SLUG = 64;
const ICON = /^[a-z0-9-]{1,31}:[A-Za-z0-9 _-]{1,31}$/;

export type OptionTexts = Pick<CostOption, 'title' | 'color' | 'icon'>;

/** What is kept of an option; throws with every field that breaks a rule. */
export function checkedOption(kind: OptionKind, { title, color, icon }: NewCostOption): OptionTexts {
  const errors = new FieldErrors();
  const name = trimmedName(errors, 'title', title);
  if (kind === 'payment_method') {
    errors.refuse();
    return { title: name, color: null, icon: null };
  }
  const texts = { title: name, color: colorOf(color ?? DEFAULT_COLOR), icon: icon ?? DEFAULT_ICON };
  errors
    .rule('color', texts.color !== null, 'must be a hex color such as #1a73e8')
    .rule('icon', ICON.test(texts.icon), 'must be like default:folder')
    .refuse();
  return texts;
}

/** The slug that a title makes, or the next that is free. */
export function slugOf(kind: OptionKind, title: string, taken: ReadonlySet<string>): string {
  const plain = title.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  const slug = cut(words || kind.replace('_', '-'), MAX_SLUG);
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? slug : `${cut(slug, MAX_SLUG - 8)}-${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
