import { colorOf } from '../../shared/color.ts';
import { refuseField } from '../../shared/fields.ts';

/** A label for sites. Times are milliseconds since 1970. */
export interface Tag {
  id: number;
  name: string;
  /** `#rrggbb`; null without one. */
  color: string | null;
  sitesCount: number;
  createdAt: number;
  updatedAt: number;
  /** Counts the edits of the record. */
  revision: number;
}

/** A tag with everything that is known of it. */
export interface TagDetail extends Tag {
  siteIds: number[];
}

export interface NewTag {
  name: string;
  /** `#RGB` or `#RRGGBB`. */
  color?: string | null;
}

/** What is absent stays as it is. */
export interface TagPatch {
  name?: string;
  /** Null takes the color away. */
  color?: string | null;
}

/** Which tags a list shows; the parts combine, and an empty `include` is none. */
export interface TagFilter {
  /** Part of the name, in any case. */
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
}

export const checkedColor = (color: string | null): string | null =>
  color === null ? null : (colorOf(color) ?? refuseField('color', 'must be a hex color such as #1a73e8'));
