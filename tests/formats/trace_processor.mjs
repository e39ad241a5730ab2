// Perfetto's trace processor in Node: what its SQL says of traces.
// usage: node trace_processor.mjs ENGINE_FOLDER <REQUESTS >ANSWERS
// REQUESTS is a JSON list of {"file": path, "queries": [SQL, ...]}; ANSWERS has for each of them a list
// of tables, a table being a list of rows, and "error" instead where the file cannot be read.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

// The engine says what it makes of its own answers.
console.log = console.warn = () => {};

const SLICE = 16 << 20;
const folder = path.resolve(process.argv[2]);

// The glue is made for a worker of a browser: it fetches the binary and answers on a port.
function makeBridge() {
  let glue = fs.readFileSync(path.join(folder, 'engine_bundle.node.js'), 'utf8');
  const replace = (from, to) => {
    if (!glue.includes(from)) throw new Error(`the engine has no '${from}'`);
    glue = glue.replace(from, to);
  };
  replace('this.useMemory64 = hasMemory64Support()', 'this.useMemory64 = false');
  replace('locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: self.binary,');
  replace('const wasmBridge = new', 'const wasmBridge = self.bridge = new');
  const self = {
    binary: fs.readFileSync(path.join(folder, 'trace_processor.wasm')),
    location: {href: 'file:///'},
  };
  const silent = {log() {}, warn() {}, error: console.error};
  new Function('self', 'WorkerGlobalScope', 'process', 'console', glue)(self, true, undefined, silent);
  return self.bridge;
}

async function makeEngine() {
  const {EngineBase} = await import(pathToFileURL(path.join(folder, 'engine.mjs')));
  const bridge = makeBridge();
  const port = {};
  const engine = new (class extends EngineBase {
    mode = 'WASM';
    rpcSendRequestBytes(data) {
      port.onmessage({data});
    }
  })();
  port.postMessage = (data) => engine.onRpcResponseBytes(data);
  bridge.initialize(port);
  await new Promise((resolve) => setTimeout(resolve, 0)); // the runtime is ready by now
  return engine;
}

function rowsOf(result) {
  const columns = result.columns();
  const spec = Object.fromEntries(columns.map((column) => [column, null]));
  const rows = [];
  for (const row = result.iter(spec); row.valid(); row.next()) {
    rows.push(columns.map((column) => row.get(column)));
  }
  return rows;
}

async function ask(engine, request) {
  const content = fs.readFileSync(request.file);
  const started = performance.now();
  await engine.resetTraceProcessor({cropTrackEvents: false, ingestFtraceInRawTable: false,
                                    analyzeTraceProtoContent: false,
                                    ftraceDropUntilAllCpusValid: false});
  for (let at = 0; at < content.length; at += SLICE) {
    await engine.parse(content.subarray(at, at + SLICE));
  }
  await engine.notifyEof();
  const seconds = (performance.now() - started) / 1000;
  const tables = [];
  for (const query of request.queries) {
    tables.push(rowsOf(await engine.query(query)));
  }
  return {tables, seconds};
}

const numbers = (key, value) => (typeof value === 'bigint' ? Number(value) : value);
const engine = await makeEngine();
const answers = [];
for (const request of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  try {
    answers.push(await ask(engine, request));
  } catch (error) {
    answers.push({error: String(error?.message ?? error)});
  }
}
process.stdout.write(JSON.stringify(answers, numbers));
