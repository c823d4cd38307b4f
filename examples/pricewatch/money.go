package main

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/webquarry/quarry/index/serve"
)

// money is an amount as people read it: "€1,180.45", "CHF 99.00".
func money(amount float64, code string) string {
	if math.IsInf(amount, 0) || math.IsNaN(amount) {
		return "not comparable"
	}
	sign, ok := map[string]string{"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}[code]
	if !ok {
		sign = code + " "
	}
	cents := int64(math.Round(amount * 100))
	return fmt.Sprintf("%s%s.%02d", sign, serve.Grouped(int(cents/100)), cents%100)
}

// percent is a share, from 0 to 1, in whole hundredths.
func percent(share float64) string { return strconv.Itoa(int(math.Round(share*100))) + "%" }

// day is a time as people read it.
func day(t time.Time) string { return t.Format("2 Jan 2006, 15:04") + " UTC" }
