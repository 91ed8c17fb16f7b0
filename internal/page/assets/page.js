// Counts down, and looks for news. Without it the page shows how things stood when it was asked for.
"use strict";
(() => {
  const main = document.getElementById("main");
  const button = document.getElementById("live");
  const news = document.getElementById("news");
  const every = Number(main.dataset.live);
  let behind = 0; // by how much the server's clock is behind ours, in ms
  let on = true;

  const setClock = () => { behind = Date.now() - Number(main.dataset.now); };

  const left = (ms) => {
    const s = Math.max(0, Math.ceil(ms / 1000));
    if (s < 60) return `${s}s`;
    if (s < 3600) return `${Math.floor(s / 60)}m ${s % 60}s`;
    if (s < 86400) return `${Math.floor(s / 3600)}h ${Math.floor(s % 3600 / 60)}m`;
    return `${Math.floor(s / 86400)}d ${Math.floor(s % 86400 / 3600)}h`;
  };

  const tick = () => {
    for (const el of document.querySelectorAll("time[data-at]")) {
      const text = left(Number(el.dataset.at) + behind - Date.now());
      if (el.textContent !== text) el.textContent = text;
    }
  };

  // morph makes old look like now and keeps what is alike, so that focus, selection and open details stay. Forms are the reader's.
  const morph = (old, now) => {
    if (old.nodeType !== now.nodeType || old.nodeName !== now.nodeName || old.id !== now.id) {
      old.replaceWith(document.importNode(now, true));
      return;
    }
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== now.data) old.data = now.data;
      return;
    }
    if (old.nodeName === "FORM") return;
    for (const { name } of [...old.attributes]) if (name !== "open" && !now.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of now.attributes) if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
    const was = [...old.childNodes];
    [...now.childNodes].forEach((child, i) => {
      if (i < was.length) morph(was[i], child);
      else old.append(document.importNode(child, true));
    });
    was.slice(now.childNodes.length).forEach((child) => child.remove());
  };

  const look = async () => {
    const answer = await fetch(location.href, { cache: "no-store", headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!on) return; // paused meanwhile
    const focus = document.activeElement && document.activeElement.getAttribute("href");
    for (const part of ["main", "header nav", "footer p + p time"]) morph(document.querySelector(part), page.querySelector(part));
    if (focus && document.activeElement === document.body) {
      const link = [...document.querySelectorAll("a[href]")].find((a) => a.getAttribute("href") === focus);
      if (link) link.focus({ preventScroll: true });
    }
    setClock();
    tick();
  };

  const next = () => setTimeout(async () => {
    if (on && !document.hidden) {
      try {
        await look();
        news.textContent = "";
      } catch {
        news.textContent = "No news: the crawl cannot be reached. It may have ended.";
      }
    }
    next();
  }, every);

  setClock();
  tick();
  setInterval(tick, 250);
  if (every > 0) {
    button.hidden = false;
    button.addEventListener("click", () => {
      on = !on;
      button.setAttribute("aria-pressed", String(on));
      button.textContent = on ? "Live" : "Paused";
    });
    next();
  }
})();
