import type { Knex } from 'knex';
import type { DeletionViewer } from '../../shared/deletion-effects.ts';
import { whereOwn } from './access-read-model.ts';

export function whereLimitOfCaller(knex: Knex, limits: Knex.QueryBuilder, { userId, keyId }: DeletionViewer): void {
  const ownKeys = whereOwn(knex('api_keys').select('api_keys.id'), { userId, keyId });
  void limits.where((own) => own.where('site_limits.user_id', userId).orWhereIn('site_limits.key_id', ownKeys));
}
