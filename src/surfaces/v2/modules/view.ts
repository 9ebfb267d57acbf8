import type { components } from '../../../../generated/v2.ts';
import type { Module } from '../../../domains/modules/index.ts';
import { toIso } from '../../../shared/clock.ts';

export const moduleView = ({ slug, name, active, updatedAt }: Module): components['schemas']['Module'] => ({
  slug,
  name,
  active,
  updated_at: toIso(updatedAt),
});
