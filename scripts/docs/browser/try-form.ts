/** Form that sends a request to a service. The credential is stored for the browser tab only. */
import type { TryIt } from '../try-it-facts.ts';
import { element, textOf } from './dom.ts';
import { send } from './try-call.ts';

const SAVED_FIELDS = ['address', 'kind', 'user', 'secret'] as const;

export function makeForm(place: HTMLElement): void {
  const call = JSON.parse(place.dataset['call'] ?? '{}') as TryIt;
  const open = element('button', { type: 'button' }, 'Open the form');
  open.addEventListener('click', () => open.replaceWith(formOf(call)));
  place.append(open);
}

function formOf(call: TryIt): HTMLFormElement {
  const address = input('address', 'Service URL', sessionStorage.getItem('try.address') ?? location.origin, {
    type: 'url',
  });
  const kind = credentialSelect();
  const secret = input('secret', 'API key or application password', savedValue('secret'), { type: 'password' });
  const user = input('user', 'User name (for an application password)', savedValue('user'));
  const fields = [
    ...call.path.map(({ name, value }) => input(`path.${name}`, `${name} (path)`, value, { required: '' })),
    ...call.query.map(({ name, value, isRequired }) =>
      input(`query.${name}`, `${name} (query)`, value, isRequired ? { required: '' } : {}),
    ),
    ...call.form.map(({ name, value, isFile }) =>
      isFile
        ? input(`form.${name}`, `${name} (file)`, '', { type: 'file' })
        : input(`form.${name}`, `${name} (form)`, value),
    ),
    ...(call.input === null ? [] : [textArea('input', 'Input (JSON)', call.input)]),
    ...(call.body === null ? [] : [textArea('body', 'Request body (JSON)', call.body)]),
  ];
  const note = call.method === 'GET' ? '' : 'This request changes data on your service.';
  const response = element('div', { class: 'response', role: 'status' });
  const button = element('button', { type: 'submit', class: 'send' }, `Send ${call.method}`);
  const form = element(
    'form',
    { 'aria-label': 'Request to your service' },
    element('div', { class: 'fields' }, address, kind, user, secret),
    element('div', { class: 'fields' }, ...fields),
    element('p', {}, button, ` ${note}`),
    response,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const values = new FormData(form);
    for (const name of SAVED_FIELDS) sessionStorage.setItem(`try.${name}`, textOf(values, name));
    button.disabled = true;
    void send(call, values)
      .then((shown) => response.replaceChildren(...shown))
      .finally(() => (button.disabled = false));
  });
  return form;
}

const savedValue = (name: (typeof SAVED_FIELDS)[number]): string => sessionStorage.getItem(`try.${name}`) ?? '';

function credentialSelect(): HTMLElement {
  const select = element(
    'select',
    { name: 'kind' },
    element('option', { value: 'key' }, 'API key'),
    element('option', { value: 'password' }, 'User name and application password'),
  );
  select.value = savedValue('kind') || 'key';
  return element('label', {}, 'Credential', select);
}

function input(name: string, label: string, value: string, attributes: Record<string, string> = {}): HTMLElement {
  const made = element('input', { name, autocomplete: 'off', spellcheck: 'false', ...attributes });
  if (attributes['type'] !== 'file') made.value = value;
  return element('label', {}, label, made);
}

function textArea(name: string, label: string, value: string): HTMLElement {
  const rows = String(Math.min(value.split('\n').length + 1, 20));
  const made = element('textarea', { name, rows, spellcheck: 'false' });
  made.value = value;
  return element('label', { class: 'wide' }, label, made);
}
