/** The form that sends a request to the reader's own service. The credential is kept in the tab only. */
import type { TryIt } from '../try-it-facts.ts';
import { element, textOf } from './dom.ts';
import { send } from './try-call.ts';

const KEPT = ['address', 'kind', 'user', 'secret'] as const;

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
  const kind = kindOfCredential();
  const secret = input('secret', 'API key or application password', kept('secret'), { type: 'password' });
  const user = input('user', 'User name (for an application password)', kept('user'));
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
    ...(call.input === null ? [] : [area('input', 'Input (JSON)', call.input)]),
    ...(call.body === null ? [] : [area('body', 'Request body (JSON)', call.body)]),
  ];
  const note = call.method === 'GET' ? '' : 'The request changes data on your service.';
  const answer = element('div', { class: 'answer', role: 'status' });
  const button = element('button', { type: 'submit', class: 'send' }, `Send ${call.method}`);
  const form = element(
    'form',
    { 'aria-label': 'Request to your service' },
    element('div', { class: 'fields' }, address, kind, user, secret),
    element('div', { class: 'fields' }, ...fields),
    element('p', {}, button, ` ${note}`),
    answer,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const values = new FormData(form);
    for (const name of KEPT) sessionStorage.setItem(`try.${name}`, textOf(values, name));
    button.disabled = true;
    void send(call, values)
      .then((shown) => answer.replaceChildren(...shown))
      .finally(() => (button.disabled = false));
  });
  return form;
}

const kept = (name: (typeof KEPT)[number]): string => sessionStorage.getItem(`try.${name}`) ?? '';

function kindOfCredential(): HTMLElement {
  const select = element(
    'select',
    { name: 'kind' },
    element('option', { value: 'key' }, 'API key'),
    element('option', { value: 'password' }, 'User and application password'),
  );
  select.value = kept('kind') || 'key';
  return element('label', {}, 'Credential', select);
}

function input(name: string, label: string, value: string, attributes: Record<string, string> = {}): HTMLElement {
  const made = element('input', { name, autocomplete: 'off', spellcheck: 'false', ...attributes });
  if (attributes['type'] !== 'file') made.value = value;
  return element('label', {}, label, made);
}

function area(name: string, label: string, value: string): HTMLElement {
  const rows = String(Math.min(value.split('\n').length + 1, 20));
  const made = element('textarea', { name, rows, spellcheck: 'false' });
  made.value = value;
  return element('label', { class: 'wide' }, label, made);
}
