'use strict';
(() => {
  const $ = id => document.getElementById(id);
  const svg = $('drawing'), view = $('view'), panel = $('details'), search = $('search');
  const entries = JSON.parse($('data').textContent);
  const width = +svg.dataset.width, height = +svg.dataset.height;
  const parts = new Map(); // place in entries -> element
  svg.querySelectorAll('[data-k]').forEach(e => parts.set(+e.dataset.k, e));
  const edges = [...svg.querySelectorAll('.edge')].map(e =>
    ({ element: e, from: +e.dataset.from, to: +e.dataset.to }));

  // --- moving and zooming: the view is translated by (x, y) and scaled by k
  let x = 0, y = 0, k = 1;
  const apply = () => view.setAttribute('transform', `translate(${x} ${y}) scale(${k})`);
  const zoom = (factor, cx, cy) => {
    const next = Math.min(4, Math.max(0.02, k * factor));
    x = cx - (cx - x) * next / k;
    y = cy - (cy - y) * next / k;
    k = next;
    apply();
  };
  const zoomMiddle = factor => zoom(factor, svg.clientWidth / 2, svg.clientHeight / 2);
  const fit = () => {
    const w = svg.clientWidth, h = svg.clientHeight - 24;
    k = Math.min(1.25, w / width, h / height);
    x = (w - width * k) / 2;
    y = Math.max(0, (h - height * k) / 2);
    apply();
  };
  const show = element => { // into sight, readable
    if (k < 0.6) k = 1;
    const box = element.getBBox();
    x = svg.clientWidth / 2 - (box.x + box.width / 2) * k;
    y = svg.clientHeight / 2 - (box.y + box.height / 2) * k;
    apply();
  };

  svg.addEventListener('wheel', e => {
    e.preventDefault();
    const area = svg.getBoundingClientRect();
    zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), e.clientX - area.left, e.clientY - area.top);
  }, { passive: false });

  const pointers = new Map();
  let moved = false;
  svg.addEventListener('pointerdown', e => {
    if (e.button > 0) return;
    pointers.set(e.pointerId, e);
    if (pointers.size === 1) moved = false;
  });
  svg.addEventListener('pointermove', e => {
    const last = pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last.clientX, dy = e.clientY - last.clientY;
    if (!moved && Math.hypot(dx, dy) < 4) return;
    if (!moved) svg.setPointerCapture(e.pointerId);
    moved = true;
    svg.classList.add('moving');
    if (pointers.size === 2) { // two fingers: zoom by their distance
      const other = [...pointers.values()].find(p => p.pointerId !== e.pointerId);
      const before = Math.hypot(last.clientX - other.clientX, last.clientY - other.clientY);
      const now = Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
      const area = svg.getBoundingClientRect();
      if (before > 0) zoom(now / before, other.clientX - area.left, other.clientY - area.top);
    } else {
      x += dx;
      y += dy;
      apply();
    }
    pointers.set(e.pointerId, e);
  });
  const release = e => {
    pointers.delete(e.pointerId);
    if (!pointers.size) svg.classList.remove('moving');
  };
  svg.addEventListener('pointerup', release);
  svg.addEventListener('pointercancel', release);

  // --- details
  let chosen = null;
  const touches = (edge, place) => {
    const head = parts.get(place).classList.contains('head');
    if (!head) return edge.from === place || edge.to === place;
    const rows = parts.get(place).parentNode.querySelectorAll('.row');
    return [...rows].some(r => +r.dataset.k === edge.from || +r.dataset.k === edge.to);
  };
  const choose = place => {
    if (chosen !== null) parts.get(chosen).classList.remove('chosen');
    chosen = place;
    edges.forEach(e => e.element.classList.toggle('on', place !== null && touches(e, place)));
    panel.hidden = place === null;
    if (place === null) return;
    parts.get(place).classList.add('chosen');
    panel.querySelector('h2').textContent = entries[place].t;
    const list = panel.querySelector('dl');
    list.replaceChildren();
    for (const [label, value] of entries[place].f) {
      const dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = label;
      dd.textContent = value;
      if (/^[0-9a-f]{32}$/.test(value)) dd.className = 'id';
      list.append(dt, dd);
    }
    panel.scrollTop = 0;
  };
  svg.addEventListener('click', e => {
    if (moved) return;
    const part = e.target.closest('[data-k]');
    choose(part ? +part.dataset.k : null);
  });
  $('close').addEventListener('click', () => choose(null));

  // --- search: all that details hold
  const texts = entries.map(e => // but what they say of neighbours
    [e.t, ...e.f.filter(f => !/chained|reads/.test(f[0])).map(f => f[1])].join('\n').toLowerCase());
  let hits = [], current = -1;
  const step = by => {
    if (!hits.length) return;
    current = (current + by + hits.length) % hits.length;
    choose(hits[current]);
    show(parts.get(hits[current]));
    $('found').textContent = `${current + 1} of ${hits.length}`;
  };
  search.addEventListener('input', () => {
    const wanted = search.value.trim().toLowerCase();
    svg.querySelectorAll('.hit, .has-hit').forEach(e => e.classList.remove('hit', 'has-hit'));
    hits = [];
    current = -1;
    if (wanted)
      texts.forEach((text, place) => {
        const part = parts.get(place);
        if (!text.includes(wanted)) return;
        // the name of a vertex is that of its rows
        if (part.classList.contains('head') && !text.slice(entries[place].t.length).includes(wanted)) return;
        hits.push(place);
        part.classList.add('hit');
        part.parentNode.classList.add('has-hit');
      });
    svg.classList.toggle('searching', wanted !== '');
    $('found').textContent = wanted ? `${hits.length} found` : '';
  });
  search.form.addEventListener('submit', e => { e.preventDefault(); step(1); });

  // --- keys
  const follow = key => { // from the part in focus to its neighbour
    const at = document.activeElement, place = at && at.dataset ? +at.dataset.k : NaN;
    if (Number.isNaN(place)) return false;
    let next = null;
    if (key === 'ArrowDown') next = place + 1;
    if (key === 'ArrowUp') next = place - 1;
    const edge = key === 'ArrowRight' ? edges.find(e => e.from === place)
      : key === 'ArrowLeft' ? edges.find(e => e.to === place) : null;
    if (edge) next = key === 'ArrowRight' ? edge.to : edge.from;
    const element = next !== null && parts.get(next);
    if (!element) return true;
    element.focus({ preventScroll: true });
    show(element);
    choose(next);
    return true;
  };
  const pan = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'Escape') {
      choose(null);
      search.value = '';
      search.dispatchEvent(new Event('input'));
      document.activeElement.blur();
    } else if (e.target === search) {
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
        step(e.key === 'ArrowDown' ? 1 : -1);
        e.preventDefault();
      }
    } else if (e.key === '/') {
      search.focus();
      search.select();
      e.preventDefault();
    } else if (e.key === '+' || e.key === '=') {
      zoomMiddle(1.25);
    } else if (e.key === '-') {
      zoomMiddle(0.8);
    } else if (e.key === '0') {
      fit();
    } else if (pan[e.key]) {
      if (!follow(e.key)) {
        x += pan[e.key][0];
        y += pan[e.key][1];
        apply();
      }
      e.preventDefault();
    } else if ((e.key === 'Enter' || e.key === ' ') && e.target.dataset && e.target.dataset.k) {
      choose(+e.target.dataset.k);
      e.preventDefault();
    }
  });
  $('in').addEventListener('click', () => zoomMiddle(1.25));
  $('out').addEventListener('click', () => zoomMiddle(0.8));
  $('fit').addEventListener('click', fit);
  // a part that gets the focus by Tab comes into sight
  svg.addEventListener('focusin', e => {
    const part = e.target.closest('[data-k]');
    if (!part || !part.matches(':focus-visible')) return;
    const at = part.getBoundingClientRect(), area = svg.getBoundingClientRect();
    if (at.left < area.left || at.right > area.right || at.top < area.top || at.bottom > area.bottom) show(part);
  });
  // --- the beginning: all of it, or the sources if that is too much to read at once
  const begin = () => {
    fit();
    if (k >= 0.45) return;
    const box = svg.querySelector('.box').getBBox();
    k = 0.7;
    x = 24 - box.x * k;
    y = svg.clientHeight / 2 - (box.y + box.height / 2) * k;
    y = Math.min(0, Math.max(y, Math.min(svg.clientHeight - 24 - height * k, 0)));
    apply();
  };
  let begun = false; // the reader has moved something: from then on windows may change
  ['wheel', 'pointerdown', 'keydown'].forEach(type =>
    addEventListener(type, () => { begun = true; }, { capture: true, passive: true }));
  addEventListener('resize', () => { if (!begun) begin(); });
  begin();
})();
