import type { RequestHandler } from 'express';
import { MethodNotAllowedError } from '../shared/errors.ts';
import { allowHeader } from './allowed-methods.ts';

export const allowOnlyReads: RequestHandler = ({ method }, response, next) => {
  if (method === 'GET' || method === 'HEAD') return next();
  response.set('Allow', allowHeader(['get']));
  if (method === 'OPTIONS') return void response.status(204).end();
  return next(new MethodNotAllowedError('rest_invalid_method', 'This route does not support the method.'));
};
