-- The index of all text: what was found where, its words and its vectors. All of
-- it can be made again from the other tables.

-- One row: how far the log has been indexed, and who is at it. position is the
-- last event that was looked at; rebuild is JSON, NULL unless one is under way;
-- epoch tells one index from another that began anew.
CREATE TABLE search_state (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	epoch TEXT NOT NULL,
	revision INTEGER NOT NULL DEFAULT 0,
	position INTEGER NOT NULL DEFAULT 0,
	last_document INTEGER NOT NULL DEFAULT 0,
	last_chunk INTEGER NOT NULL DEFAULT 0,
	documents INTEGER NOT NULL DEFAULT 0,
	chunks INTEGER NOT NULL DEFAULT 0,
	words INTEGER NOT NULL DEFAULT 0,
	rebuild TEXT,
	held_by TEXT,
	held_until TEXT,
	updated_at TEXT NOT NULL
);

-- A document gets a new number whenever it is indexed again.
CREATE TABLE search_documents (
	document_no INTEGER PRIMARY KEY,
	kind TEXT NOT NULL,
	document_id TEXT NOT NULL,
	workspace_id TEXT,
	place TEXT,
	sender TEXT NOT NULL,
	title TEXT NOT NULL,
	created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_search_documents_id ON search_documents (kind, document_id);
CREATE INDEX idx_search_documents_newest ON search_documents (created_at, document_no);
CREATE INDEX idx_search_documents_place ON search_documents (place, document_no) WHERE place IS NOT NULL;

-- chunk_no is document_no * 4096 and the number of the piece. The text itself
-- stays where it is; start_at and end_at are bytes of it.
CREATE TABLE search_chunks (
	chunk_no INTEGER PRIMARY KEY,
	start_at INTEGER NOT NULL,
	end_at INTEGER NOT NULL,
	words INTEGER NOT NULL
);

-- The words come folded and divided by spaces, so that both databases have the
-- same ones. Its rowid is chunk_no.
CREATE VIRTUAL TABLE search_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii');

-- reached is the last chunk that has a vector of the model.
CREATE TABLE search_models (
	model_no INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	dims INTEGER NOT NULL,
	reached INTEGER NOT NULL DEFAULT 0,
	serves INTEGER NOT NULL DEFAULT 0
);

-- A vector is its scale, a float32, a signed byte for each dimension, and another
-- for what the first leaves over.
CREATE TABLE search_vectors (
	model_no INTEGER NOT NULL,
	chunk_no INTEGER NOT NULL,
	vector BLOB NOT NULL,
	PRIMARY KEY (model_no, chunk_no)
) WITHOUT ROWID;
