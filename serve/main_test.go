package serve

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// update writes the golden files anew from what the code does now.
var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}
