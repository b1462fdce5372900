package main

import (
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/store"
	"nexus/store/storetest"
)

// What no script can bring about.
func TestJudge(t *testing.T) {
	t.Parallel()
	now := time.Now()
	d := &doctor{cfg: &Config{Home: t.TempDir()}, now: now}
	sqlite := func(i store.Inspection) []finding {
		i.Kind, i.Schema, i.KnownSchema = "sqlite", 3, 3
		return d.judgeStore("x.db", i)
	}
	postgres := func(version int, skew time.Duration) []finding {
		return d.judgeStore("pg", store.Inspection{Kind: "postgres", Schema: 3, KnownSchema: 3, Server: version, ServerTime: now.Add(skew)})
	}
	tests := []struct {
		name  string
		found []finding
		want  verdict // the worst
		says  string
	}{
		{"plenty of room", []finding{judgeRoom(5<<30, "/d")}, verdictOK, "5.0 GiB"},
		{"little room", []finding{judgeRoom(1<<30-1, "/d")}, verdictWarn, "1024.0 MiB"},
		{"no room", []finding{judgeRoom(100<<20-1, "/d")}, verdictFail, "are left at /d"},
		{"a sound store", sqlite(store.Inspection{Bytes: 4096}), verdictOK, "x.db is sound, 4.0 KiB"},
		{"a long log", sqlite(store.Inspection{WALBytes: 1 << 30}), verdictWarn, "the write-ahead log has 1.0 GiB"},
		{"a damaged store", sqlite(store.Inspection{Faults: []string{"row 3 missing"}}), verdictFail, "row 3 missing"},
		{"an older schema", d.judgeStore("x.db", store.Inspection{Schema: 1, KnownSchema: 3}), verdictOK, "the next start brings it to 3"},
		{"events of today", sqlite(store.Inspection{LastEventAt: nexus.Stamp(now.Add(time.Minute))}), verdictOK, ""},
		{"events of tomorrow", sqlite(store.Inspection{LastEventAt: nexus.Stamp(now.Add(time.Hour))}), verdictFail, "ahead of this machine's clock"},
		{"PostgreSQL as we want it", postgres(150004, time.Second), verdictOK, ""},
		{"an old PostgreSQL", postgres(140011, 0), verdictFail, "the server is version 14"},
		{"a server with another clock", postgres(160000, -time.Hour), verdictFail, "differs by -1h0m0s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			worst, all := verdictOK, ""
			for _, f := range tt.found {
				all += f.Found + "\n"
				if f.Verdict == verdictFail || f.Verdict == verdictWarn && worst == verdictOK {
					worst = f.Verdict
				}
				if f.Verdict != verdictOK && f.Fix == "" {
					t.Errorf("%q comes without a way to mend it", f.Found)
				}
			}
			if worst != tt.want || !strings.Contains(all, tt.says) {
				t.Errorf("it is %s, want %s with %q:\n%s", worst, tt.want, tt.says, all)
			}
		})
	}
}

// Status and doctor look at both databases, and change neither.
func TestStatusOfStore(t *testing.T) {
	t.Parallel()
	storetest.EachEmpty(t, func(t *testing.T, o storetest.Opener) {
		cfg := &Config{Home: t.TempDir(), DB: o.URL, PresenceTTLSeconds: 60}
		before, err := lookAround(t.Context(), cfg)
		if err != nil || before.Database.Schema != 0 || before.Database.Problem != "" {
			t.Fatalf("of an empty one: %+v, %v", before.Database, err)
		}
		db := o.Open(t)
		s, err := lookAround(t.Context(), cfg)
		if err != nil || s.Database.Schema != db.SchemaVersion() || s.Counts == nil || s.Hub.State != hubStopped {
			t.Errorf("it is %+v, %v", s, err)
		}
		d := &doctor{cfg: cfg, now: time.Now()}
		for _, f := range d.checkDatabase(t.Context()) {
			if f.Verdict != verdictOK {
				t.Errorf("the doctor finds %+v", f)
			}
		}
	})
}
