import { normalizeColor } from '../../shared/color.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { ListOrder } from '../../shared/list-order.ts';

export interface Tag {
  id: number;
  name: string;
  color: string | null;
  sitesCount: number;
  createdAt: number;
  updatedAt: number;
  revision: number;
}

export interface TagDetail extends Tag {
  siteIds: number[];
}

export interface NewTag {
  name: string;
  color?: string | null;
}

export interface TagPatch {
  name?: string;
  color?: string | null;
}

/** A tag must match all filters. An empty `include` is not a filter. */
export interface TagFilter {
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
}

export type TagOrder = ListOrder<'name' | 'created_at'>;

export const checkedColor = (color: string | null): string | null =>
  color === null ? null : (normalizeColor(color) ?? throwFieldError('color', 'must be a hex color such as #1a73e8'));
