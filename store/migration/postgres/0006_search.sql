-- The index of all text: what was found where, its words and its vectors. All of
-- it can be made again from the other tables.

-- One row: how far the log has been indexed, and who is at it. position is the
-- last event that was looked at; rebuild is JSON, NULL unless one is under way;
-- epoch tells one index from another that began anew.
CREATE TABLE search_state (
	id BIGINT PRIMARY KEY CHECK (id = 1),
	epoch TEXT COLLATE "C" NOT NULL,
	revision BIGINT NOT NULL DEFAULT 0,
	position BIGINT NOT NULL DEFAULT 0,
	last_document BIGINT NOT NULL DEFAULT 0,
	last_chunk BIGINT NOT NULL DEFAULT 0,
	documents BIGINT NOT NULL DEFAULT 0,
	chunks BIGINT NOT NULL DEFAULT 0,
	words BIGINT NOT NULL DEFAULT 0,
	rebuild TEXT COLLATE "C",
	held_by TEXT COLLATE "C",
	held_until TEXT COLLATE "C",
	updated_at TEXT COLLATE "C" NOT NULL
);

-- A document gets a new number whenever it is indexed again.
CREATE TABLE search_documents (
	document_no BIGINT PRIMARY KEY,
	kind TEXT COLLATE "C" NOT NULL,
	document_id TEXT COLLATE "C" NOT NULL,
	workspace_id TEXT COLLATE "C",
	place TEXT COLLATE "C",
	sender TEXT COLLATE "C" NOT NULL,
	title TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX idx_search_documents_id ON search_documents (kind, document_id);
CREATE INDEX idx_search_documents_newest ON search_documents (created_at, document_no);
CREATE INDEX idx_search_documents_place ON search_documents (place, document_no) WHERE place IS NOT NULL;

-- chunk_no is document_no * 4096 and the number of the piece. The text itself
-- stays where it is; start_at and end_at are bytes of it.
CREATE TABLE search_chunks (
	chunk_no BIGINT PRIMARY KEY,
	start_at BIGINT NOT NULL,
	end_at BIGINT NOT NULL,
	words BIGINT NOT NULL
);

-- The words come folded and in their order, so that both databases have the same
-- ones; no configuration of PostgreSQL touches them.
CREATE TABLE search_words (
	chunk_no BIGINT PRIMARY KEY,
	size BIGINT NOT NULL,
	words TSVECTOR NOT NULL
);
CREATE INDEX idx_search_words ON search_words USING GIN (words);

-- reached is the last chunk that has a vector of the model.
CREATE TABLE search_models (
	model_no BIGINT PRIMARY KEY,
	name TEXT COLLATE "C" NOT NULL UNIQUE,
	dims BIGINT NOT NULL,
	reached BIGINT NOT NULL DEFAULT 0,
	serves BIGINT NOT NULL DEFAULT 0
);

-- A vector is its scale, a float32, a signed byte for each dimension, and another
-- for what the first leaves over.
CREATE TABLE search_vectors (
	model_no BIGINT NOT NULL,
	chunk_no BIGINT NOT NULL,
	vector BYTEA NOT NULL,
	PRIMARY KEY (model_no, chunk_no)
);
