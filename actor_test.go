package nexus_test

import (
	"testing"

	"nexus"
)

func TestIsOperatorName(t *testing.T) {
	for _, name := range []string{"operator", "Operator", "OPERATOR", " operator\n", "operator\u200b", "\u2060oper\u00adator", "oper\ufe0fator", "ｏｐｅｒａｔｏｒ", "Ｏperator"} {
		if !nexus.IsOperatorName(name) {
			t.Errorf("%+q reads like the operator's name", name)
		}
	}
	for _, name := range []string{"", "operator-2", "the operator", "opérator", "cooperator"} {
		if nexus.IsOperatorName(name) {
			t.Errorf("%+q is not the operator's name", name)
		}
	}
}
