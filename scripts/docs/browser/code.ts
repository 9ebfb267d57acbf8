/** Copy buttons and sample tabs. All pages show the language that was chosen last. */
import { element } from './dom.ts';

const LANGUAGE_KEY = 'language';
let tabGroups = 0;

export function makeTabs(group: HTMLElement): void {
  const panels = [...group.querySelectorAll<HTMLElement>(':scope > .code[data-label]')];
  if (panels.length < 2) return;
  const number = tabGroups++;
  const list = element('div', { role: 'tablist', 'aria-label': 'Language' });
  const tabs = panels.map((panel, index) => {
    const id = `tab-${number}-${index}`;
    panel.id = `panel-${number}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', id);
    return element('button', { type: 'button', role: 'tab', id, 'aria-controls': panel.id }, labelOf(panel));
  });
  const show = (shown: number): void => {
    for (const [index, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(index === shown));
      tab.tabIndex = index === shown ? 0 : -1;
      const panel = panels[index];
      if (panel) panel.hidden = index !== shown;
    }
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => choose(labelOf(panels[index])));
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step === undefined) return;
      const next = (index + step + tabs.length) % tabs.length;
      choose(labelOf(panels[next]));
      tabs[next]?.focus();
    });
  }
  list.append(...tabs);
  group.prepend(list);
  const showChosen = (): void => {
    const chosen = panels.findIndex((panel) => labelOf(panel) === localStorage.getItem(LANGUAGE_KEY));
    show(Math.max(chosen, 0));
  };
  document.addEventListener('language', showChosen);
  showChosen();
}

const labelOf = (panel: HTMLElement | undefined): string => panel?.dataset['label'] ?? '';

function choose(language: string): void {
  localStorage.setItem(LANGUAGE_KEY, language);
  document.dispatchEvent(new Event('language'));
}

export function addCopyButtons(code: HTMLElement): void {
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(code.querySelector('code')?.textContent ?? '').then(() => {
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 1500);
    });
  });
  code.append(button);
}
