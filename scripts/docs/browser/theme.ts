/** Before anything is shown: light or dark as the reader chose, else as their system is. */
const chosen = localStorage.getItem('theme');
if (chosen) document.documentElement.dataset['theme'] = chosen;
