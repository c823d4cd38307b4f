package refresh
import ("testing";"fmt";"math")
func TestProto2(t *testing.T){
	for _,bpp:=range []float64{0.3,1,3}{
	B:=300*bpp
	mu:=oracle(300,B)
	fmt.Printf("B %.1f optimum mu %.3f:",bpp,mu)
	for _,l:=range rates{ if l==0{fmt.Print(" 0");continue}; k:=Known(l); iv:=when(func(t float64)float64{return freshGain(k,t)},1,mu); f:=1/iv; fmt.Printf(" %.3f(%.3f)",f, mf(l,f))}
	fmt.Println()
	for _,c:=range []cfg{
			{mode:"bayes",alpha:.3,mean:1,kappa:.5},
			{mode:"point",alpha:.3,mean:1,kappa:.5},
	}{ T:=100.;c.max=T/4;c.startRate=20*B
		f,_,o,us:=run(c,300,B,T,1); fmt.Println(c.mode,f/o,us)
	}}
	_ = math.Pi
}
