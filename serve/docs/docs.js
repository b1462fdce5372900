'use strict';

const search = document.getElementById('page-search');
const count = document.getElementById('count');
const none = document.getElementById('none');
const groups = [...document.querySelectorAll('.group')];
const operations = [...document.querySelectorAll('main details')];

// An operation is shown if it has all the words.
function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const o of operations) {
    o.hidden = !words.every((word) => o.dataset.find.includes(word));
    if (!o.hidden) shown++;
  }
  for (const g of groups) {
    g.hidden = !g.querySelector('details:not([hidden])');
    document.querySelector(`nav a[href="#${g.id}"]`).parentElement.hidden = g.hidden;
  }
  count.textContent = `${shown} operations`;
  none.hidden = shown > 0;
}

// Keys: / goes to the search, Escape empties it.
function onKey(event) {
  const typing = event.target.matches('input');
  if (event.key === '/' && !typing) {
    event.preventDefault();
    search.focus();
  } else if (event.key === 'Escape' && event.target === search) {
    search.value = '';
    find();
  }
}

// An address with #NAME opens that operation.
function open() {
  const o = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!o || !o.matches('details')) return;
  o.open = true;
  o.scrollIntoView();
}

async function send(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll('input')) {
    if (input.dataset.in === 'path') path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value !== '') query.set(input.name, input.value);
  }
  const key = document.getElementById('key').value.trim();
  const result = form.querySelector('.result');
  result.hidden = false;
  result.textContent = '…';
  try {
    const answer = await fetch(query.size ? `${path}?${query}` : path, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
    });
    const text = await answer.text();
    result.textContent = `${answer.status}\n${pretty(text)}`;
  } catch {
    result.textContent = 'The hub did not answer. Is it still running?';
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

search.addEventListener('input', find);
document.addEventListener('keydown', onKey);
window.addEventListener('hashchange', open);
for (const form of document.querySelectorAll('.try')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form);
  });
}
find();
open();
